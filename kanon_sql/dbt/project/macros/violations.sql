{#- The statements behind the tests; an adapter may have its own, named ADAPTER__k_violations and so on. -#}

{% macro k_violations(relation, quasi_identifiers, k, entity=none) %}
    {{ return(adapter.dispatch('k_violations', 'kanon_sql')(relation, quasi_identifiers, k, entity)) }}
{% endmacro %}

{% macro default__k_violations(relation, quasi_identifiers, k, entity) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- do kanon_sql.refuse_number('k', k, 1, none) -%}
{%- if entity -%}
    {%- set named = kanon_sql.quoted_columns([entity], 'entity')[0] -%}
    {%- set counted = 'count(distinct ' ~ named ~ ') + max(case when ' ~ named ~ ' is null then 1 else 0 end)' -%}
{%- else -%}
    {%- set counted = 'count(*)' -%}
{%- endif %}
select count(*) as class_rows, {{ counted }} as reached
from {{ relation }}
group by {{ keys | join(', ') }}
having {{ counted }} < {{ k }}
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
{%- if variant == 'distinct' %}
select count(*) as class_rows, count(distinct {{ value }}) as reached
from {{ relation }}
group by {{ keys | join(', ') }}
having count(distinct {{ value }}) < {{ l }}
{%- elif variant == 'entropy' %}
select class_rows, reached
from (
    select
        sum(held) as class_rows,
        coalesce(exp(-sum(case when present = 1 then share * ln(share) end)), 0) as reached
    from (
        select
            {{ kanon_sql.key_names(keys, "counted") }},
            held,
            present,
            case when present = 1 then
                cast(held as {{ kanon_sql.double() }})
                / sum(case when present = 1 then held end) over (partition by {{ kanon_sql.key_names(keys) }})
            end as share
        from {{ kanon_sql.counted_values(relation, keys, value) }} as counted
    ) as shares
    group by {{ kanon_sql.key_names(keys) }}
) as measured
where reached < {{ l }} * (1 - 1e-9)
{%- else -%}
    {%- do kanon_sql.refuse_number('c', c, 0, none) -%}
    {%- set numerator, denominator = kanon_sql.ratio(c) %}
{#- For how many l the most frequent value is less than c times those from the l-th on; in whole numbers. #}
select class_rows, reached
from (
    select
        sum(held) as class_rows,
        sum(case when present = 1 and most * {{ denominator }} < from_here * {{ numerator }} then 1 else 0 end) as reached
    from (
        select
            {{ kanon_sql.key_names(keys, "counted") }},
            held,
            present,
            max(case when present = 1 then held end) over (partition by {{ kanon_sql.key_names(keys) }}) as most,
            sum(case when present = 1 then held end) over (
                partition by {{ kanon_sql.key_names(keys) }}
                order by held
                rows between unbounded preceding and current row
            ) as from_here
        from {{ kanon_sql.counted_values(relation, keys, value) }} as counted
    ) as ranked
    group by {{ kanon_sql.key_names(keys) }}
) as measured
where reached < {{ l }}
{%- endif -%}
{% endmacro %}

{#- How often each class holds each value; `present` is 0 for the missing ones. -#}
{% macro counted_values(relation, keys, value) %}
        (
            select
                {{ kanon_sql.named_keys(keys) }}
                {{ value }} as kanon_value,
                max(case when {{ value }} is null then 0 else 1 end) as present,
                count(*) as held
            from {{ relation }}
            group by {{ keys | join(', ') }}, {{ value }}
        )
{%- endmacro %}

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
