#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a page of each module's C++ interfaces from the XML that Doxygen has read out of the headers, and a page that lists them.

usage: interfaces.py XML_FOLDER FOLDER
"""
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
MARKS = {"ndash": "-", "mdash": "-", "lsquo": "'", "rsquo": "'", "nonbreakablespace": " "}
TITLES = {"pre": "Before", "post": "After", "return": "Returns", "note": "Note", "see": "See", "param": "Parameters",
          "templateparam": "Template parameters", "exception": "Errors", "retval": "Returns"}
PUBLIC = ("public-type", "public-func", "public-attrib", "public-static-func", "public-static-attrib", "friend",
          "func", "var", "enum", "typedef", "user-defined", "define")


# ------------------------------------------------------------------------------------------------------------- text
def escaped(text):
    """Text whose characters mean nothing to Markdown."""
    text = re.sub(r"([\\`*\[\]$|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", re.sub(r"\s+", " ", text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text):
    """Text between backticks, or between more of them where it has some."""
    text = re.sub(r"\s+", " ", text).strip()
    return f"``{text}``" if "`" in text else f"`{text}`"


def plain(element):
    return "".join(element.itertext()) if element is not None else ""


def inline(element):
    """What stands in a paragraph, as Markdown. Lists and notes of it are left to blocks()."""
    parts = [escaped(element.text or "")]
    for child in element:
        if child.tag in ("computeroutput", "ref"):
            parts.append(code(plain(child)))
        elif child.tag in MARKS:
            parts.append(MARKS[child.tag])
        elif child.tag in ("emphasis", "bold", "ulink", "superscript", "subscript"):
            parts.append(escaped(plain(child)))
        parts.append(escaped(child.tail or ""))
    return "".join(parts).strip()


def blocks(element):
    """The paragraphs, lists and notes of a description."""
    if element is None:
        return
    for child in element:
        if child.tag == "para":
            text = inline(child)
            if text:
                yield text
            yield from blocks(child)
        elif child.tag == "parameterlist":
            items = [f"- {', '.join(code(plain(name)) for name in item.iter('parametername'))}"
                     f"{direction(item)}: {' '.join(blocks(item.find('parameterdescription')))}" for item in child]
            yield f"**{TITLES[child.get('kind')]}**\n\n" + "\n".join(items)
        elif child.tag == "simplesect":
            yield f"**{TITLES.get(child.get('kind'), child.get('kind'))}:** {' '.join(blocks(child))}"
        elif child.tag in ("itemizedlist", "orderedlist"):
            yield "\n".join(f"- {' '.join(blocks(item))}" for item in child)
        elif child.tag in ("verbatim", "preformatted"):
            yield f"```text\n{plain(child).strip()}\n```"


def direction(item):
    name = item.find("parameternamelist/parametername")
    return f" ({name.get('direction')})" if name is not None and name.get("direction") else ""


def described(element):
    """Brief and detailed description, one after the other."""
    return "\n\n".join([*blocks(element.find("briefdescription")), *blocks(element.find("detaileddescription"))])


# --------------------------------------------------------------------------------------------------------- entities
def template_of(element):
    """template <class T, int n>, or nothing."""
    found = element.find("templateparamlist")
    if found is None:
        return ""
    words = []
    for one in found:
        default = plain(one.find("defval"))
        name = " ".join(filter(None, (plain(one.find("type")), plain(one.find("declname")))))
        words.append(name + (f" = {default}" if default else ""))
    return f"template <{', '.join(words)}>\n"


def signature(member):
    """A declaration as it stands in the header, without the namespace."""
    kind, name = member.get("kind"), plain(member.find("name"))
    if kind == "enum":
        values = ", ".join(plain(value.find("name")) + plain(value.find("initializer")) for value in member.findall("enumvalue"))
        return f"enum{' class' if member.get('strong') == 'yes' else ''} {name} {{ {values} }};"
    if kind == "define":
        words = ", ".join(plain(one) for one in member.iter("defname"))
        return f"#define {name}{f'({words})' if words else ''}"
    text = plain(member.find("definition")).replace(plain(member.find("qualifiedname")), name)
    text = re.sub(rf"[\w:]+(?:< [^()]*? >)?::(?={re.escape(name)}$)", "", text) + plain(member.find("argsstring"))
    value = plain(member.find("initializer"))
    return template_of(member) + re.sub(" +", " ", text.replace("freshet::", "")) + (f" {value}" if value and len(value) < 60 else "") + ";"


def line_of(element):
    """Header below include/ and line of an entity."""
    place = element.find("location")
    return (place.get("file"), int(place.get("line"))) if place is not None else ("", 0)


def members_of(compound):
    return [member for section in compound.findall("sectiondef") if section.get("kind") in PUBLIC
            for member in section if member.tag == "memberdef" and member.get("prot", "public") == "public"]


def text_of_member(member):
    values = [(plain(value.find("name")), described(value)) for value in member.findall("enumvalue")]
    values = "\n".join(f"- {code(name)}: {text}" for name, text in values if text)
    return "\n\n".join(filter(None, (f"```cpp\n{signature(member)}\n```", described(member), values)))


def text_of_class(compound, depth):
    """A class or struct: what it is, its data as a table, its functions."""
    name = plain(compound.find("compoundname")).replace("freshet::", "")
    bases = ", ".join(plain(base).replace("freshet::", "") for base in compound.findall("basecompoundref"))
    parts = [f"{'#' * depth} {escaped(name)}", described(compound)]
    head = f"{template_of(compound)}{compound.get('kind')} {name}{f' : {bases}' if bases else ''};"
    parts.append(f"```cpp\n{head}\n```")
    members = sorted(members_of(compound), key=line_of)
    rows = [f"| {code(plain(one.find('type')).replace('freshet::', ''))} | {code(plain(one.find('name')))} | "
            f"{' '.join(described(one).split())} |" for one in members if one.get("kind") == "variable"]
    if rows:
        parts.append("\n".join(["| type | name | meaning |", "|---|---|---|", *rows]))
    parts += [text_of_member(one) for one in members if one.get("kind") != "variable"]
    return "\n\n".join(filter(None, parts))


def entities(folder):
    """(header, line, text) of each class, function, constant and enumeration of the namespace and its parts."""
    for path in sorted(folder.glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            name, kind = plain(compound.find("compoundname")), compound.get("kind")
            if kind in ("class", "struct") and compound.get("prot") == "public" and "@" not in name and "<" not in name:
                yield *line_of(compound), text_of_class(compound, 3)
            elif kind in ("namespace", "file") and "@" not in name:
                for member in members_of(compound):
                    if kind == "namespace" or member.get("kind") == "define":
                        yield *line_of(member), f"### {escaped(plain(member.find('name')))}\n\n{text_of_member(member)}"


def purposes():
    """What each module does, from the table of src/README.md."""
    rows = re.findall(r"^\| (\w+) \| (.*?) \| `", (ROOT / "src/README.md").read_text(encoding="utf-8"), re.M)
    return dict(rows)


def under_one_heading(texts):
    """Functions of one name that follow each other have one heading."""
    last = None
    for text in texts:
        heading, _, rest = text.partition("\n\n")
        yield rest if heading == last else text
        last = heading


def main(xml, pages):
    pages.mkdir(parents=True, exist_ok=True)
    headers = {}
    for header, line, text in entities(xml):
        if header.startswith("freshet/"):
            headers.setdefault(header, {})[line, text] = text
    modules = sorted({header.split("/")[1] for header in headers})
    does = purposes()
    for module in modules:
        parts = [f"# {module}", f"{does.get(module, '')[:1].upper()}{does.get(module, '')[1:]}. [All modules](README.md)."]
        for header in sorted(name for name in headers if name.split("/")[1] == module):
            parts += [f"## {escaped(header.split('/', 2)[2])}", f"`#include <{header}>`",
                      *under_one_heading(text for _, text in sorted(headers[header].items()))]
        (pages / f"{module}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    rows = [f"| [{module}]({module}.md) | {does.get(module, '')} |" for module in modules]
    (pages / "README.md").write_text("# Interfaces in C++\n\nClasses and functions of the headers in `include/freshet`, by module. How the parts "
                                     "work together is in [the house](../src/README.md).\n\n| module | what it does |\n|---|---|\n"
                                     + "\n".join(rows) + "\n", encoding="utf-8")
    if len(modules) < 5:
        sys.exit(f"site: {xml} has the interfaces of {len(modules)} modules only")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
