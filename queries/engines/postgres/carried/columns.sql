-- Answers: what do the columns of a table have beside values and types?
-- Reads: pg_attribute, pg_attrdef.
-- Takes: $table, the object number of the table.
-- Gives: name; not_null; default_value, an expression; is_computed, whether the server gives the values; comment; in
--   the order of the table.
SELECT
    attribute.attname AS name,
    attribute.attnotnull AS not_null,
    pg_get_expr(defaults.adbin, defaults.adrelid) AS default_value,
    attribute.attidentity <> '' OR attribute.attgenerated <> '' AS is_computed,
    col_description(attribute.attrelid, attribute.attnum) AS comment
FROM pg_attribute AS attribute
LEFT JOIN pg_attrdef AS defaults
    ON defaults.adrelid = attribute.attrelid AND defaults.adnum = attribute.attnum
WHERE attribute.attrelid = $table AND attribute.attnum > 0 AND NOT attribute.attisdropped
ORDER BY attribute.attnum
