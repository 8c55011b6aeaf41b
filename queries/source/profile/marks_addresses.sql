-- Answers: of values with digits: whether they are addresses, by words and endings for streets in several languages.
-- Reads: profile_sample, the values (position, v, l, has_digit).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
SELECT
    position,
    regexp_matches(l, '\d') AND regexp_matches(
        l,
        '(^|[^a-z])(street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|sq|terrace|highway|hwy|parkway|pkwy|way|circle|crescent|close|trail|alley|mews|apt|suite|p\.? ?o\.? box|postfach|rue|av|bd|chemin|place|allee|impasse|quai|route|passage|faubourg|calle|c/|avenida|avda|plaza|paseo|camino|carrer|ronda|pasaje|rambla|via|viale|piazza|corso|largo|vicolo|contrada|borgo|strada|piazzale|ulica|ul|aleja|al|aleje|plac|pl|osiedle|os|rondo|rua|travessa|praca|alameda|estrada|beco|rodovia|sokak|sok|sk|cadde|caddesi|cad|mahallesi|mah|bulvari)([^a-z]|$)'
    ) AS street_word,
    regexp_matches(l, '[A-Za-z](strasse|strase|str\.?|weg|platz|allee|gasse|ring|damm|ufer|chaussee|steig|graben|straat|laan|plein|kade|gracht|singel|dijk|steeg|pad|dreef|gatan|gata|vagen|grand|stigen|torget|vej|gade|vei|veien|gate|strade|katu|tie|kuja|polku) \d{1,4}( ?[a-z])?([^\d].*)?$')
    OR regexp_matches(l, '^(am|an der|auf dem|auf der|im|in der|zum|zur|unter den|hinter der) [A-Za-z].* \d{1,4} ?[a-z]?$') AS street_suffix,
    regexp_matches(v, '^\d{1,5}[A-Za-z]?,? [A-Z][A-Za-z''.-]+( [A-Z]?[A-Za-z''.-]+){1,4}') AS number_first,
    street_word OR street_suffix AS street
FROM kanon.profile_sample
WHERE has_digit
