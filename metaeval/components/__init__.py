"""What a coefficient, interval, test, correction, figure or kind of documents must be, and the registries of all."""
