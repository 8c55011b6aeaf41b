-- Answers: the release of classes as one statement over the source: each row under the labels of the class that its
-- tuple of positions is in. A row with a value that was not there when it was searched has no position, and is left
-- out.
-- Reads: source_rows, the rows that take part (the statement begins with them); qi_domain, the position of each value
-- of a quasi-identifier; classes, the labels of each class; tuples, the class (part) of each tuple of positions and,
-- where classes share tuples, which of its rows each takes. Where every class is one range of positions along each
-- dimension, and no two overlap, classes holds these ranges, and tuples is what is placed.
-- Takes: other_value and other_column, the columns that are released as they are; qi_key, qi_place and qi_position,
-- what source_rows calls a quasi-identifier, its position and what that is called; part_number, the number of a class;
-- range_position, range_low and range_high, a position and the ends of a class's range; label_name, the labels of a
-- class; drawn_value and drawn_name, what the rows of a shared tuple are put in turn by; deal_turn, deal_before and
-- deal_last, how they are dealt out (dealt is left out where none is shared); out_value, out_column and out_name, what
-- is released, what it is called on the way and in the end; sort_key, the order.
-- Gives: the released rows under their real names.
WITH placed AS (
    SELECT
        other_value AS other_column,
        qi_place AS qi_position,
        drawn_value AS drawn_name
    FROM source_rows
    LEFT JOIN qi_domain ON qi_domain.value = source_rows.qi_key
),
dealt AS (
    SELECT
        other_column,
        qi_position,
        row_number() OVER (PARTITION BY LIST_OF(qi_position) ORDER BY drawn_name) AS deal_turn
    FROM placed
),
members AS (
    SELECT
        tuples.qi_position,
        tuples.deal_before,
        tuples.deal_last,
        classes.label_name
    FROM tuples
    JOIN classes
        ON classes.part_number = tuples.part_number
        AND tuples.range_position BETWEEN classes.range_low AND classes.range_high
),
released AS (
    SELECT out_value AS out_column
    FROM dealt
    JOIN members
        ON members.qi_position = dealt.qi_position
        AND dealt.deal_turn > members.deal_before
        AND dealt.deal_turn <= members.deal_last
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
