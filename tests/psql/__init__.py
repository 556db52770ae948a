"""What psql and graphical tools ask of the catalogs, on PostgreSQL and on this server over the same lake."""
