-- Classes with the number of persons of the population that fall under them, none yet.
CREATE OR REPLACE TEMP TABLE sized_classes (size BIGINT, persons BIGINT)
