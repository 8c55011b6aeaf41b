{#- Generic tests of releases. Each returns one row for each class that violates: counts and measures, no values. -#}

{% test k_anonymous(model, quasi_identifiers, k, entity=none) %}
{{ kanon_sql.k_violations(model, quasi_identifiers, k, entity) }}
{% endtest %}

{% test l_diverse(model, quasi_identifiers, sensitive, l, variant='distinct') %}
{{ kanon_sql.l_violations(model, quasi_identifiers, sensitive, l, variant) }}
{% endtest %}

{% test t_close(model, quasi_identifiers, sensitive, t, reference=none) %}
{{ kanon_sql.t_violations(model, quasi_identifiers, sensitive, t, reference or model) }}
{% endtest %}

{% test max_suppression(model, source_model, at_most) %}
{{ kanon_sql.suppression_violations(model, source_model, at_most) }}
{% endtest %}
