"""baml-py: `BamlRuntime.parse_llm_response`, the parser behind generated clients, with no client generated.

Each case's schema is written as BAML types first (not timed). What BAML's types cannot say (bounds, patterns,
tuples, `additionalProperties: false`) is left out; the table checks the value against the whole schema afterwards.
A schema that has no BAML type at all is reported as unsupported.
"""

import types
from pathlib import Path

from baml_py import BamlRuntime

from loop import run

CLIENT = """
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
"""


class Unsupported(Exception):
    pass


class Types:
    """Turns a schema into BAML source and the Python classes that the parser fills."""

    def __init__(self, schema):
        self.root = schema
        self.classes = []
        self.module = types.ModuleType("baml_types")
        self.named = {}
        self.result = self.type_of(schema)

    def type_of(self, schema):
        if schema is True or schema == {}:
            raise Unsupported("any value")
        if "$ref" in schema:
            return self.reference(schema["$ref"])
        if "const" in schema:
            return self.literal(schema["const"])
        if "enum" in schema:
            return "(" + " | ".join(self.literal(each) for each in schema["enum"]) + ")"
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return "(" + " | ".join(self.type_of(each) for each in schema[keyword]) + ")"
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list):
            return "(" + " | ".join(self.type_of({**schema, "type": each}) for each in kind) + ")"
        return self.simple(kind, schema)

    def simple(self, kind, schema):
        scalars = {"string": "string", "integer": "int", "number": "float", "boolean": "bool", "null": "null"}
        if kind in scalars:
            return scalars[kind]
        if kind == "array" and isinstance(schema.get("items"), dict):
            return self.type_of(schema["items"]) + "[]"
        if kind == "object" and schema.get("properties"):
            return self.object(schema)
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"map<string, {self.type_of(schema['additionalProperties'])}>"
        raise Unsupported(str(schema))

    def reference(self, target):
        if target not in self.named:
            schema = self.root
            for step in target.lstrip("#/").split("/"):
                schema = schema[step]
            if schema.get("type") != "object":
                return self.type_of(schema)
            self.named[target] = f"Class{len(self.classes)}"
            self.object(schema, self.named[target])
        return self.named[target]

    def object(self, schema, name=None):
        name = name or f"Class{len(self.classes)}"
        place = len(self.classes)
        self.classes.append("")
        required = schema.get("required", [])
        lines, fields = [], {}
        for index, (key, member) in enumerate(schema["properties"].items()):
            field = f"field{index}"
            fields[field] = (key, key in required)
            optional = "" if key in required else "?"
            lines.append(f'  {field} {self.type_of(member)}{optional} @alias("{key}")')
        self.classes[place] = f"class {name} {{\n" + "\n".join(lines) + "\n}\n"
        setattr(self.module, name, reader(name, fields))
        return name

    @staticmethod
    def literal(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str) and '"' not in value and "\\" not in value:
            return f'"{value}"'
        if isinstance(value, int):
            return str(value)
        raise Unsupported(repr(value))

    def source(self):
        function = f'function Answer() -> {self.result} {{\n  client Nobody\n  prompt #"x"#\n}}\n'
        return CLIENT + "\n".join(self.classes) + function


def reader(name, fields):
    """A class as the parser wants it, which gives plain dictionaries with the schema's own names."""

    def model_validate(cls, members):
        pairs = ((fields[field], value) for field, value in members.items() if field in fields)
        return {key: value for (key, needed), value in pairs if needed or value is not None}

    return type(name, (), {"model_validate": classmethod(model_validate)})


def prepare(case):
    try:
        described = Types(case["schema"])
        runtime = BamlRuntime.from_files(str(Path(__file__).parent), {"main.baml": described.source()}, {})
    except Exception:
        return None
    context = runtime.create_context_manager()
    module, text = described.module, case["text"]
    return lambda: runtime.parse_llm_response(
        "Answer", text, module, module, module, False, context, None, None, {}
    )


run(prepare)
