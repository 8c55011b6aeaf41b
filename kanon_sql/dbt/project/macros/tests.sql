{#- Generic tests of releases. Each returns one row for each class that violates: counts and measures, no values. -#}

{% test k_anonymous(model, quasi_identifiers, k, entity=none) %}
{%- do kanon_sql.warn_of_incremental(model) -%}
{{ kanon_sql.k_violations(model, quasi_identifiers, k, entity) }}
{% endtest %}

{% test l_diverse(model, quasi_identifiers, sensitive, l, variant='distinct', c=none, missing=none) %}
{%- do kanon_sql.warn_of_incremental(model) -%}
{{ kanon_sql.l_violations(model, quasi_identifiers, sensitive, l, variant, c, missing) }}
{% endtest %}

{% test t_close(model, quasi_identifiers, sensitive, t, reference=none, distance='equal', order=none, missing=none, complete=none) %}
{%- do kanon_sql.warn_of_incremental(model) -%}
{{ kanon_sql.t_violations(model, quasi_identifiers, sensitive, t, reference or model, distance, order, missing, complete) }}
{% endtest %}

{% test max_suppression(model, source_model, at_most, complete=none, missing=none) %}
{{ kanon_sql.suppression_violations(model, source_model, at_most, complete, missing) }}
{% endtest %}
