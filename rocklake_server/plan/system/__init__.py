"""The rows of pg_catalog and information_schema, computed from what the lake has: one module per group
of relations, assembled by ``plan.system_relations``."""
