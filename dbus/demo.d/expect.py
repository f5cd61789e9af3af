"""Computes from the JSON files of iso-codes what the demo must find in the store, as shell assignments.

Usage: expect.py FOLDER
"""
import json
import sys

folder = sys.argv[1]


def read(name):
    with open(f"{folder}/iso_{name}.json", encoding="utf-8") as file:
        return json.load(file)[name]


countries = {row["alpha_2"]: row for row in read("3166-1")}
subdivisions = {row["code"]: row for row in read("3166-2")}
currencies = read("4217")
languages = {row["alpha_3"]: row for row in read("639-3")}
bibliographic = read("639-2")
scripts = read("15924")


def parent(row):
    """A parent is named by its whole code, or by the part behind the country's."""
    name = row.get("parent")
    if name is None:
        return None
    return subdivisions.get(name) or subdivisions.get(f"{row['code'][:2]}-{name}")


def country(row):
    return countries.get(row["code"][:2])


with_currency = [row for row in currencies if row["alpha_3"][:2] in countries]
with_language = [row for row in bibliographic if row["alpha_3"] in languages]
counts = {}
for row in subdivisions.values():
    counts[row["code"][:2]] = counts.get(row["code"][:2], 0) + 1

figures = {
    "countries": len(countries),
    "subdivisions": len(subdivisions),
    "currencies": len(currencies),
    "languages": len(languages),
    "bibliographic": len(bibliographic),
    "scripts": len(scripts),
    "in_country": sum(country(row) is not None for row in subdivisions.values()),
    "with_parent": sum(parent(row) is not None for row in subdivisions.values()),
    "with_currency": len(with_currency),
    "with_language": len(with_language),
    "german": counts.get("DE", 0),
    "parents_in_france": sum(
        1 for row in subdivisions.values() if parent(row) and country(parent(row)) is countries["FR"]),
    "large": sum(1 for count in counts.values() if count > 100),
    "with_s": sum(1 for row in with_currency if countries[row["alpha_3"][:2]]["name"].startswith("S")),
    "macro": sum(1 for row in with_language if languages[row["alpha_3"]].get("scope") == "M"),
}
for name, number in figures.items():
    print(f"want_{name}={number}")
