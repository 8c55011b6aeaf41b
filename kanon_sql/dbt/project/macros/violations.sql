{#- The statements behind the tests; an adapter may have its own, named ADAPTER__k_violations and so on. What violates
    is defined in measures.sql. -#}

{% macro k_violations(relation, quasi_identifiers, k, entity=none) %}
    {{ return(adapter.dispatch('k_violations', 'kanon_sql')(relation, quasi_identifiers, k, entity)) }}
{% endmacro %}

{% macro default__k_violations(relation, quasi_identifiers, k, entity) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- do kanon_sql.refuse_number('k', k, 1, none) -%}
{%- if entity -%}
{{ kanon_sql.k_anonymous_entities(kanon_sql.by_class(relation, keys, kanon_sql.quoted_columns([entity], 'entity')[0]), k) }}
{%- else -%}
{{ kanon_sql.k_anonymous_rows(kanon_sql.by_class(relation, keys), k) }}
{%- endif -%}
{% endmacro %}

{% macro l_violations(relation, quasi_identifiers, sensitive, l, variant='distinct', c=none, missing=none) %}
    {%- do kanon_sql.refuse_number('l', l, 1, none) -%}
    {%- if variant not in ('distinct', 'entropy', 'recursive') -%}
        {%- do exceptions.raise_compiler_error(
            "kanon_sql.l_diverse: variant is '" ~ variant ~ "'; expected distinct, entropy or recursive"
        ) -%}
    {%- elif (variant == 'recursive') != (c is not none) -%}
        {%- do exceptions.raise_compiler_error(
            "kanon_sql.l_diverse: variant is '" ~ variant ~ "' and c is '" ~ c ~ "'; c goes with recursive, which needs it"
        ) -%}
    {%- endif -%}
    {{ return(adapter.dispatch('l_violations', 'kanon_sql')(relation, quasi_identifiers, sensitive, l, variant, c, missing)) }}
{% endmacro %}

{% macro default__l_violations(relation, quasi_identifiers, sensitive, l, variant, c, missing) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- set value = kanon_sql.present(kanon_sql.quoted_columns([sensitive], 'sensitive')[0], missing) -%}
{%- set given = kanon_sql.by_class(relation, keys, value) -%}
{%- if variant == 'distinct' -%}
{{ kanon_sql.l_diverse_distinct(given, l=l) }}
{%- elif variant == 'entropy' -%}
{{ kanon_sql.l_diverse_entropy(given, l=l) }}
{%- else -%}
    {%- do kanon_sql.refuse_number('c', c, 0, none) -%}
    {%- set numerator, denominator = kanon_sql.ratio(c) -%}
{{ kanon_sql.l_diverse_recursive(given, l=l, numerator=numerator, denominator=denominator) }}
{%- endif -%}
{% endmacro %}

{% macro t_violations(relation, quasi_identifiers, sensitive, t, reference, distance='equal', order=none, missing=none, complete=none) %}
    {%- do kanon_sql.refuse_number('t', t, 0, 1) -%}
    {%- if distance not in ('equal', 'ordered') -%}
        {%- do exceptions.raise_compiler_error(
            "kanon_sql.t_close: distance is '" ~ distance ~ "'; expected equal or ordered. Distances in a hierarchy are "
            ~ "checked by `kanon-sql check`, or by the statement of `kanon-sql compile --check`"
        ) -%}
    {%- elif order is not none and distance != 'ordered' -%}
        {%- do exceptions.raise_compiler_error("kanon_sql.t_close: order goes with distance: ordered") -%}
    {%- endif -%}
    {{ return(adapter.dispatch('t_violations', 'kanon_sql')(
        relation, quasi_identifiers, sensitive, t, reference, distance, order, missing, complete
    )) }}
{% endmacro %}

{% macro default__t_violations(relation, quasi_identifiers, sensitive, t, reference, distance, order, missing, complete) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- set value = kanon_sql.present(kanon_sql.quoted_columns([sensitive], 'sensitive')[0], missing) -%}
{%- set where = kanon_sql.where_complete(complete, missing) -%}
{%- if distance == 'equal' -%}
{{ kanon_sql.t_close_equal(kanon_sql.by_class(relation, keys, value), kanon_sql.by_value(reference, value, where), t=t) }}
{%- else -%}
    {%- set value = kanon_sql.ordered(value, order) -%}
{{ kanon_sql.t_close_ordered(kanon_sql.by_class(relation, keys, value), kanon_sql.by_value(reference, value, where), t=t) }}
{%- endif -%}
{% endmacro %}

{#- How many rows of each class, which have a number each, hold each value. -#}
{% macro by_class(relation, keys, value=none) %}(
  select
    dense_rank() over (order by {{ keys | join(', ') }}) as kanon_class,
    {{ value ~ ' as kanon_value,' if value }}
    count(*) as kanon_row_count
  from {{ relation }}
  group by {{ keys | join(', ') }}{{ ', ' ~ value if value }}
){% endmacro %}

{#- How many rows of a table hold each value. -#}
{% macro by_value(relation, value, where) %}(
  select {{ value }} as kanon_value, count(*) as kanon_row_count
  from {{ relation }}
  {{ where }}
  group by {{ value }}
){% endmacro %}

{% macro suppression_violations(relation, source_model, at_most, complete=none, missing=none) %}
    {{ return(adapter.dispatch('suppression_violations', 'kanon_sql')(relation, source_model, at_most, complete, missing)) }}
{% endmacro %}

{% macro default__suppression_violations(relation, source_model, at_most, complete, missing) %}
{%- set text = at_most | string | trim -%}
{%- set is_share = text.endswith('%') -%}
{%- set number = text[:-1] | trim if is_share else text -%}
{%- do kanon_sql.refuse_number("at_most", number, 0, 100 if is_share else none) -%}
{%- set numerator, denominator = kanon_sql.ratio(number) %}
select source_rows, released_rows
from (
    select
        (select count(*) from {{ source_model }} {{ kanon_sql.where_complete(complete, missing) }}) as source_rows,
        (select count(*) from {{ relation }}) as released_rows
) as counted
where (source_rows - released_rows) * {{ denominator }}{{ ' * 100' if is_share }} > {{ 'source_rows * ' if is_share }}{{ numerator }}
{% endmacro %}
