"""The container files: what can be said of them without a container engine."""
