{#- The statements behind the tests; an adapter may have its own, named ADAPTER__k_violations and so on. -#}

{% macro k_violations(relation, quasi_identifiers, k, entity=none) %}
    {{ return(adapter.dispatch('k_violations', 'kanon_sql')(relation, quasi_identifiers, k, entity)) }}
{% endmacro %}

{% macro default__k_violations(relation, quasi_identifiers, k, entity) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- do kanon_sql.refuse_number('k', k, 1, none) -%}
{%- if entity -%}
    {%- set named = kanon_sql.quoted_columns([entity])[0] -%}
    {%- set counted = 'count(distinct ' ~ named ~ ') + max(case when ' ~ named ~ ' is null then 1 else 0 end)' -%}
{%- else -%}
    {%- set counted = 'count(*)' -%}
{%- endif %}
select count(*) as class_rows, {{ counted }} as reached
from {{ relation }}
group by {{ keys | join(', ') }}
having {{ counted }} < {{ k }}
{% endmacro %}

{% macro l_violations(relation, quasi_identifiers, sensitive, l, variant='distinct') %}
    {{ return(adapter.dispatch('l_violations', 'kanon_sql')(relation, quasi_identifiers, sensitive, l, variant)) }}
{% endmacro %}

{% macro default__l_violations(relation, quasi_identifiers, sensitive, l, variant) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- set value = kanon_sql.quoted_columns([sensitive])[0] -%}
{%- do kanon_sql.refuse_number('l', l, 1, none) -%}
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
        from (
            select
                {% for key in keys %}{{ key }} as kanon_key_{{ loop.index }}, {% endfor -%}
                case when {{ value }} is null then 0 else 1 end as present,
                count(*) as held
            from {{ relation }}
            group by {{ keys | join(', ') }}, {{ value }}
        ) as counted
    ) as shares
    group by {{ kanon_sql.key_names(keys) }}
) as measured
where reached < {{ l }} * (1 - 1e-9)
{%- else -%}
    {%- do exceptions.raise_compiler_error("kanon_sql.l_diverse: variant is '" ~ variant ~ "'; expected distinct or entropy") -%}
{%- endif %}
{% endmacro %}

{% macro t_violations(relation, quasi_identifiers, sensitive, t, reference) %}
    {{ return(adapter.dispatch('t_violations', 'kanon_sql')(relation, quasi_identifiers, sensitive, t, reference)) }}
{% endmacro %}

{% macro default__t_violations(relation, quasi_identifiers, sensitive, t, reference) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- set value = kanon_sql.quoted_columns([sensitive])[0] -%}
{%- do kanon_sql.refuse_number('t', t, 0, 1) -%}
{#- Equal distances: half the sum over all values of how much their shares differ; what a class lacks counts too. #}
select class_rows, reached
from (
    select
        sum(held) as class_rows,
        (sum(abs(share - coalesce(expected, 0))) + 1 - sum(coalesce(expected, 0))) / 2 as reached
    from (
        select
            {{ kanon_sql.key_names(keys, "counted") }},
            counted.held,
            cast(counted.held as {{ kanon_sql.double() }})
                / sum(counted.held) over (partition by {{ kanon_sql.key_names(keys, 'counted') }}) as share,
            everyone.expected
        from (
            select
                {% for key in keys %}{{ key }} as kanon_key_{{ loop.index }}, {% endfor -%}
                {{ value }} as kanon_value,
                count(*) as held
            from {{ relation }}
            group by {{ keys | join(', ') }}, {{ value }}
        ) as counted
        left join (
            select
                kanon_value,
                cast(all_held as {{ kanon_sql.double() }}) / sum(all_held) over () as expected
            from (
                select {{ value }} as kanon_value, count(*) as all_held
                from {{ reference }}
                group by {{ value }}
            ) as totals
        ) as everyone
            on everyone.kanon_value = counted.kanon_value
            or (everyone.kanon_value is null and counted.kanon_value is null)
    ) as shares
    group by {{ kanon_sql.key_names(keys) }}
) as measured
where reached > {{ t }} + 1e-9
{% endmacro %}

{% macro suppression_violations(relation, source_model, at_most) %}
    {{ return(adapter.dispatch('suppression_violations', 'kanon_sql')(relation, source_model, at_most)) }}
{% endmacro %}

{% macro default__suppression_violations(relation, source_model, at_most) %}
{%- set text = at_most | string | trim -%}
{%- set is_share = text.endswith('%') -%}
{%- set number = text[:-1] | trim if is_share else text -%}
{%- do kanon_sql.refuse_number("at_most", number, 0, 100 if is_share else none) %}
select source_rows, released_rows
from (
    select
        (select count(*) from {{ source_model }}) as source_rows,
        (select count(*) from {{ relation }}) as released_rows
) as counted
where source_rows - released_rows > {% if is_share %}source_rows * {{ number }} / 100{% else %}{{ number }}{% endif %}
{% endmacro %}
