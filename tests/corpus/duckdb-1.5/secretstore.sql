-- statement
SELECT secret_name, serialized_secret FROM my_secrets
-- statement
CREATE TABLE IF NOT EXISTS my_secrets (
			secret_name VARCHAR PRIMARY KEY,
			secret_type VARCHAR NOT NULL,
			serialized_secret BYTEA NOT NULL
		)
-- statement
SELECT serialized_secret FROM my_secrets WHERE secret_name = 'secret_name 1'
-- statement
SELECT secret_name, serialized_secret FROM my_secrets WHERE LOWER(secret_type) = 'postgres'
-- statement
INSERT INTO my_secrets (secret_name, secret_type, serialized_secret) VALUES ('two', 'postgres', E'\\x640008')
-- statement
INSERT INTO my_secrets (secret_name, secret_type, serialized_secret) VALUES ('secret_name 1', 'postgres', E'\\x640009') ON CONFLICT (secret_name) DO UPDATE SET secret_type = EXCLUDED.secret_type, serialized_secret = EXCLUDED.serialized_secret
-- statement
DELETE FROM my_secrets WHERE secret_name = 'secret_name 1'
