{#- What the statements have in common. -#}

{% macro quoted_columns(columns, what='quasi_identifiers') %}
    {%- if columns is string or columns is not iterable or columns | length == 0 -%}
        {%- do exceptions.raise_compiler_error("kanon_sql: " ~ what ~ " is '" ~ columns ~ "'; expected a list of columns") -%}
    {%- endif -%}
    {%- set made = [] -%}
    {%- for name in columns -%}
        {%- if name is not string or name == '' -%}
            {%- do exceptions.raise_compiler_error("kanon_sql: '" ~ name ~ "' is no name of a column") -%}
        {%- endif -%}
        {%- do made.append(kanon_sql.quoted(name)) -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}

{#- adapter.quote puts quotes around a name; those inside it are doubled here. -#}
{% macro quoted(name) %}
    {{ return(adapter.dispatch('quoted', 'kanon_sql')(name)) }}
{% endmacro %}

{% macro default__quoted(name) %}{{ return(adapter.quote(name | replace('"', '""'))) }}{% endmacro %}
{% macro spark__quoted(name) %}{{ return(adapter.quote(name | replace('`', '``'))) }}{% endmacro %}
{% macro bigquery__quoted(name) %}{{ return(adapter.quote(name)) }}{% endmacro %}

{#- A column as a value, NULL where it holds one of the texts that mean missing. -#}
{% macro present(quoted_name, missing) %}
    {%- if missing is none -%}{{ return(quoted_name) }}{%- endif -%}
    {%- if missing is string or missing is not iterable -%}
        {%- do exceptions.raise_compiler_error("kanon_sql: missing is '" ~ missing ~ "'; expected a list of texts") -%}
    {%- endif -%}
    {%- set texts = [] -%}
    {%- for text in missing %}{% do texts.append(kanon_sql.text_literal(text | string)) %}{% endfor -%}
    {%- set as_text = 'cast(' ~ quoted_name ~ ' as ' ~ dbt.type_string() ~ ')' -%}
    {{ return('case when ' ~ as_text ~ ' in (' ~ texts | join(', ') ~ ') then null else ' ~ quoted_name ~ ' end'
        if texts else quoted_name) }}
{% endmacro %}

{#- WHERE for the rows of a table that take part: none of these columns is missing. -#}
{% macro where_complete(complete, missing) %}
    {%- if complete -%}
        {%- set conditions = [] -%}
        {%- for name in kanon_sql.quoted_columns(complete, 'complete') -%}
            {%- do conditions.append(kanon_sql.present(name, missing) ~ ' is not null') -%}
        {%- endfor -%}
        {{ return('where ' ~ conditions | join(' and ')) }}
    {%- endif -%}
    {{ return('') }}
{% endmacro %}

{% macro text_literal(text) %}{{ return(adapter.dispatch('text_literal', 'kanon_sql')(text)) }}{% endmacro %}
{% macro default__text_literal(text) %}{{ return("'" ~ text | replace("'", "''") ~ "'") }}{% endmacro %}
{% macro snowflake__text_literal(text) %}
    {{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "''") ~ "'") }}
{% endmacro %}
{% macro spark__text_literal(text) %}
    {{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}
{% endmacro %}
{% macro bigquery__text_literal(text) %}
    {{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}
{% endmacro %}

{#- A value as what it is ordered by. Texts are ordered by their bytes, whatever the collation. -#}
{% macro ordered(value, order) %}
    {%- if order is none -%}{{ return(value) }}
    {%- elif order == 'number' -%}{{ return('cast(' ~ value ~ ' as ' ~ kanon_sql.double() ~ ')') }}
    {%- elif order == 'date' -%}{{ return('cast(' ~ value ~ ' as date)') }}
    {%- elif order == 'text' -%}{{ return(kanon_sql.by_bytes('cast(' ~ value ~ ' as ' ~ dbt.type_string() ~ ')')) }}
    {%- endif -%}
    {%- do exceptions.raise_compiler_error("kanon_sql.t_close: order is '" ~ order ~ "'; expected number, date or text") -%}
{% endmacro %}

{% macro by_bytes(value) %}{{ return(adapter.dispatch('by_bytes', 'kanon_sql')(value)) }}{% endmacro %}
{% macro default__by_bytes(value) %}{{ return(value) }}{% endmacro %}
{% macro postgres__by_bytes(value) %}{{ return(value ~ ' collate "C"') }}{% endmacro %}

{% macro refuse_number(what, value, least, most) %}
    {%- set text = value | string | trim -%}
    {%- if not modules.re.fullmatch('[0-9]+([.][0-9]+)?', text) or text | float < least or (most is not none and text | float > most) -%}
        {%- do exceptions.raise_compiler_error("kanon_sql: " ~ what ~ " is '" ~ value ~ "'; expected a number of at least " ~ least) -%}
    {%- endif -%}
{% endmacro %}

{#- A decimal as a ratio of whole numbers, for comparisons without rounding: [numerator, denominator]. -#}
{% macro ratio(value) %}
    {%- set parts = (value | string | trim).split('.') -%}
    {%- set decimals = parts[1] if parts | length > 1 else '' -%}
    {{ return([(parts[0] ~ decimals) | int, ('1' ~ '0' * decimals | length) | int]) }}
{% endmacro %}

{% macro double() %}{{ return(adapter.dispatch('double', 'kanon_sql')()) }}{% endmacro %}
{% macro default__double() %}{{ return('double precision') }}{% endmacro %}
{% macro duckdb__double() %}{{ return('double') }}{% endmacro %}
{% macro spark__double() %}{{ return('double') }}{% endmacro %}
{% macro trino__double() %}{{ return('double') }}{% endmacro %}
{% macro bigquery__double() %}{{ return('float64') }}{% endmacro %}
