"""COMPARE: which metric agrees best with human judgments, and where metrics and humans disagree."""
