-- Answers: which columns of a table have a collation that takes different texts for equal?
-- Reads: pg_attribute, pg_collation.
-- Takes: $name, the table as statements name it.
-- Gives: name of each column.
SELECT attribute.attname AS name
FROM pg_attribute AS attribute
JOIN pg_collation AS compared ON compared.oid = attribute.attcollation
WHERE attribute.attrelid = to_regclass($name) AND NOT compared.collisdeterministic
