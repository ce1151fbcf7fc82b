"""Tests of ratings by people and automatic judges."""
