"""COMPOSE: the only folder that knows all stages. It calls them in order and calculates nothing itself."""
