"""The version of metaeval; it is part of every signature."""

VERSION = "0.3.0"
