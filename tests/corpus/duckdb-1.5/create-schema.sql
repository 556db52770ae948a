-- statement
CREATE SCHEMA  IF NOT EXISTS"metadata_s1"
-- statement
CREATE SCHEMA  IF NOT EXISTS"metadata_s2"
