"""SHOW: tables become text and figures. This stage sees tidy tables only."""
