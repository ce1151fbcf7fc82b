"""Inter-annotator agreement, and how far the order of systems and of metrics depends on single judges."""
