-- statement
SELECT secret_name, serialized_secret FROM my_secrets
-- statement
CREATE TABLE IF NOT EXISTS my_secrets (
			secret_name VARCHAR PRIMARY KEY,
			secret_type VARCHAR NOT NULL,
			serialized_secret BYTEA NOT NULL
		)
