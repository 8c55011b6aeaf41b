-- The classes by k.
SELECT qi_value, size, holders, holders < $k AS violates
FROM sizes
