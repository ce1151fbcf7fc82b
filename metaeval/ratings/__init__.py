"""Ratings of items by people and automatic judges, and what can be asked of them."""
