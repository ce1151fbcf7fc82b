"""The models of the calibration of defaults, and what the defaults say of a corpus."""
