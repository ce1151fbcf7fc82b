"""The same small test set in every format: two systems, two references, two documents of two segments.

``TEXTS`` and ``SCORES`` say what each reader must find.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

DOCUMENTS = ("d1", "d1", "d2", "d2")
IDS = ("1", "2", "1", "2")
SOURCE = ("eins & zwei", "drei", "vier", "fünf")
TEXTS = {
    "A": ("one & two", "three", "", "five <b>"),
    "B": ("one and two", "3", "four\u2028or so", "עברית 🙂"),
    "refA": ("one and two", "three", "four", "five"),
    "refB": ("1 and 2", "three!", "four.", "five."),
}
SYSTEMS, REFERENCES = ("A", "B"), ("refA", "refB")
JUDGES = ("ann", "bob")


def score(system: str, position: int, judge: str) -> int:
    """Return a score that tells system, segment and judge apart."""
    return 10 * (1 + "AB".index(system)) + 2 * position + JUDGES.index(judge)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def sgml(directory: Path) -> list[Path]:
    """Write NIST SGML as LDC has it: upper case, a bare ampersand, unclosed <hl> and <p>, a segment across lines."""
    body = ""
    for kind, names in (("srcset", ("",)), ("refset", REFERENCES), ("tstset", SYSTEMS)):
        for name in names:
            texts = TEXTS[name] if name else SOURCE
            body = f'<{kind.upper()} setid="tiny" srclang="German" trglang=English>\n'
            for document in ("d1", "d2"):
                told = f' sysid="{name}"' if name else ""
                body += f'<DOC docid="{document}"{told}>\n<hl>\n<p>\n'
                for position, text in enumerate(texts):
                    if DOCUMENTS[position] == document:
                        shown = text.replace("<", "&lt;") if name == "A" else _escaped(text)
                        body += f"<seg id={IDS[position]}>{shown}</seg>\n"
                body += "</DOC>\n"
            body += f"</{kind}>\n"
            _write(directory / f"{kind}-{name}.sgm", body)
    rows = ["docid,segid,system,assessor,adequacy,fluency"]
    for system in SYSTEMS:
        for position in range(4):
            for judge in JUDGES:
                value = score(system, position, judge)
                rows.append(f"{DOCUMENTS[position]},{IDS[position]},{system},{judge},{value},{value + 50}")
    table = directory.parent / "assessments.csv"
    _write(table, "\n".join(rows) + "\n")
    return [directory, table]


SGML_FORMATS = (
    "sgml",
    'table(columns=["document=docid", "segment=segid", "judge=assessor"], criteria=["adequacy", "fluency"])',
)


def wmt_xml(directory: Path) -> list[Path]:
    """Write WMT's XML with the scores of Appraise beside it, quality control included."""
    lines = ["<?xml version='1.0' encoding='utf-8'?>", "<!-- made up --><dataset id='tiny'>"]
    for document in ("d1", "d2"):
        lines.append(f'<doc origlang="de" id="{document}">')
        parts = [("src", "lang='de'", SOURCE), ("ref", "translator='A'", TEXTS["refA"])]
        parts += [("ref", "translator='refB'", TEXTS["refB"])]
        parts += [("hyp", f'system="{name}"', TEXTS[name]) for name in SYSTEMS]
        for tag, attributes, texts in parts:
            segments = "".join(
                f'<seg id="{IDS[position]}">{_escaped(text)}</seg>'
                for position, text in enumerate(texts)
                if DOCUMENTS[position] == document
            )
            lines.append(f"<{tag} {attributes}><p>{segments}</p></{tag}>")
        lines.append("</doc>")
    _write(directory / "tiny.xml", "\n".join([*lines, "</dataset>"]))
    rows = []
    for system in SYSTEMS:
        for position in range(4):
            for judge in JUDGES:
                where = f"{DOCUMENTS[position]}#{system}"
                value = score(system, position, judge)
                rows.append(f"{judge},tiny.{system},{IDS[position]},TGT,deu,eng,{value},{where},False,[],1.5,2.5")
        rows.append(f"ann,tiny.{system},7,BAD,deu,eng,3,d1#{system}#bad,False,[],1.5,2.5")
        rows.append(f"ann,tiny.{system},2,TGT,deu,eng,55,d1#{system},True,[],1.5,2.5")
    _write(directory / "scores.csv", "\n".join(rows) + "\n")
    return [directory / "tiny.xml", directory / "scores.csv"]


def mtme(directory: Path) -> list[Path]:
    """Write a directory of mt-metrics-eval with one missing score, ratings of two raters and scores of a metric."""
    _write(directory / "sources/de-en.txt", "\n".join(SOURCE) + "\n")
    _write(directory / "documents/de-en.docs", "".join(f"news {name}\n" for name in DOCUMENTS))
    for name in REFERENCES:
        _write(directory / f"references/de-en.{name}.txt", "\n".join(TEXTS[name]) + "\n")
    for name in (*SYSTEMS, "refA"):
        _write(directory / f"system-outputs/de-en/{name}.txt", "\n".join(TEXTS[name]) + "\n")
    scores = {name: [str(-score(name, position, "ann")) for position in range(4)] for name in SYSTEMS}
    scores["refA"] = ["None", "-1.5", "0", "-0"]
    scores["B"][3] = "None"
    lines = [f"{name}\t{value}" for name, values in scores.items() for value in values]
    _write(directory / "human-scores/de-en.mqm.seg.score", "\n".join(lines) + "\n")
    _write(directory / "human-scores/de-en.mqm.doc.score", "A -1\nA -2\nB None\nB -4\n")
    _write(directory / "human-scores/de-en.wmt-z.sys.score", "A 0.5\nB -0.25\n")
    error = {"start": 0, "end": 1, "category": "Fluency/Punctuation", "severity": "minor", "score": None}
    for rater, column in (("rater1", 0), ("rater2", 1)):
        lines = []
        for name in SYSTEMS:
            for position in range(4):
                if position % 2 == column:
                    errors = [error] * 3 + [{**error, "category": "Accuracy/Omission", "severity": "major"}] * position
                    lines.append(f"{name}\t{json.dumps({'errors': errors})}\t{rater}")
                else:
                    lines.append(f"{name}\tNone")
        _write(directory / f"human-scores/de-en.mqm.{rater}.seg.rating", "\n".join(lines) + "\n")
    lines = [f"{name}\t{position / 8}" for name in SYSTEMS for position in range(4)]
    _write(directory / "metric-scores/de-en/BLEU-refA.seg.score", "\n".join(lines) + "\n")
    _write(directory / "metric-scores/de-en/BLEU-refA.domain.score", "news\tA\t0.5\nnews\tB\t0.25\n")
    return [directory]


def tree(directory: Path) -> Path:
    """Write the same as two language pairs of a tree, de-en and en-de."""
    mtme(directory)
    for path in list(directory.rglob("*de-en*")):
        other = path.with_name(path.name.replace("de-en", "en-de"))
        if path.is_dir():
            shutil.copytree(path, other)
        else:
            shutil.copy(path, other)
    return directory


def pearmut(directory: Path) -> list[Path]:
    """Write a log of Pearmut: two people, a page that one took back, a tutorial, a skipped item given later."""
    items = [
        {"item_id": f"de-en_#_news_#_{DOCUMENTS[position]}_###_{IDS[position]}", "src": SOURCE[position]}
        | {"tgt": {name: texts[position] for name, texts in TEXTS.items()}}
        for position in range(4)
    ]

    def said(judge: str, position: int, change: int = 0) -> dict[str, object]:
        spans = [{"start_i": 0, "end_i": 0, "category": None, "severity": "minor"}] * (judge == "ann")
        return {
            name: {"score": score(name, position, judge) + change, "error_spans": spans, "textfield": None}
            for name in SYSTEMS
        }

    tutorial = {"item_id": "de-en_#_tutorial_#_0", "src": "x", "tgt": {"A": "y"}}
    pages = [
        ("ann", "welcome_0", [tutorial], [{"A": {"score": 1, "error_spans": []}}]),
        ("ann", 0, items[:2], [said("ann", 0, 1), said("ann", 1, 1)]),
        ("ann", 0, items[:2], "__RESET__"),
        *((judge, 2, items[:3], [said(judge, position) for position in range(3)]) for judge in JUDGES),
        *((judge, 1, items[2:], [None, said(judge, 3)]) for judge in JUDGES),
    ]
    lines = [
        json.dumps({"annotation": of_page, "actions": [], "item": shown, "user_id": user, "item_i": number})
        for user, number, shown, of_page in pages
    ]
    _write(directory / "annotations.jsonl", "\n".join(lines) + "\n")
    return [directory / "annotations.jsonl"]


def wmt_json(directory: Path) -> list[Path]:
    """Write human scores as WMT25 has them."""
    rows = []
    for position in range(4):
        scores = {
            name: [
                {"score": score(name, position, judge), "annotator": judge, "times": [1, 2], "errors": []}
                for judge in JUDGES
            ]
            for name in SYSTEMS
        }
        scores["A"][0]["errors"] = [{"start_i": 0, "end_i": 2, "severity": "major"}]
        id_ = f"de-en_#_news_#_{DOCUMENTS[position]}_#_{IDS[position]}"
        texts = {name: texts[position] for name, texts in TEXTS.items()}
        rows.append({"doc_id": id_, "src_text": SOURCE[position], "tgt_text": texts, "scores": scores})
    _write(directory / "humeval.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return [directory / "humeval.jsonl"]


def mqm(directory: Path) -> list[Path]:
    """Write an MQM table; refA and refB are rated too."""
    rows = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for name, texts in TEXTS.items():
        for position, text in enumerate(texts):
            place = f"{name}\t{DOCUMENTS[position]}\t{IDS[position]}\t{position + 1}\trater{position % 2 + 1}"
            source, marked = SOURCE[position], f"{text[:1]}<v>{text[1:]}</v>"
            if name == "A":
                rows += [f"{place}\t{source}\t{marked}\tFluency/Punctuation\tMinor"] * 3
                rows.append(f"{place}\t<v>{source}</v>\t{text}\tAccuracy/Omission\tMajor")
            elif name == "B":
                rows.append(f"{place}\t{source}\t{marked}\tNon-translation!\tMajor")
            else:
                rows.append(f"{place}\t{source}\t{text}\tNo-error\tNo-error")
    _write(directory / "mqm.tsv", "\n".join(rows) + "\n")
    return [directory / "mqm.tsv"]


MQM_FORMAT = 'mqm(references=["refA", "refB"])'


def summeval(directory: Path) -> list[Path]:
    """Write JSON Lines as published."""
    lines = []
    for name in SYSTEMS:
        for position, text in enumerate(TEXTS[name]):
            ratings = [{"coherence": 1 + position, "fluency": 5}, {"coherence": 2, "fluency": 1 + position}]
            item = {
                "id": f"{DOCUMENTS[position]}-{IDS[position]}",
                "model_id": name,
                "decoded": text,
                "references": [TEXTS[reference][position] for reference in REFERENCES],
                "expert_annotations": ratings,
                "turker_annotations": [{"coherence": 3, "fluency": 4.5}],
            }
            lines.append(json.dumps(item, ensure_ascii=False))
    _write(directory / "model_annotations.aligned.jsonl", "\n".join(lines) + "\n")
    return [directory]


def webnlg(directory: Path) -> list[Path]:
    """Write the tree of the challenge: entries 2, 3, 5 and 7 of eight are rated, entry 3 has one reference."""
    entries = []
    for number in range(1, 9):
        position = {2: 0, 3: 1, 5: 2, 7: 3}.get(number)
        triples, references = ["x | y | z"], ["unused"]
        if position is not None:
            triples = [SOURCE[position], "and | so | on"]
            references = [TEXTS[name][position] for name in REFERENCES[: 1 if number == 3 else 2]]
        entries.append(
            f'<entry category="{DOCUMENTS[position or 0]}" eid="Id{number}" size="2"><modifiedtripleset>'
            + "".join(f"<mtriple>{_escaped(triple)}</mtriple>" for triple in triples)
            + "</modifiedtripleset>"
            + "".join(f'<lex lang="" lid="Id{n}">{_escaped(text)}</lex>' for n, text in enumerate(references, start=1))
            + "</entry>"
        )
    xml = "<?xml version='1.0' encoding='utf-8'?>\n<benchmark><entries>" + "\n".join(entries) + "</entries></benchmark>"
    _write(directory / "data/en/test/rdf-to-text-generation-test-data-with-refs-en.xml", xml)
    results = directory / "evaluation/human-evaluation/results/en"
    for name in (*SYSTEMS, "WebNLG-2020-reference"):
        ratings = {
            str(number): {judge: {"Fluency": 50 + position, "Correctness": 60, "feedback": "why?"} for judge in JUDGES}
            for position, number in enumerate((2, 3, 5, 7))
        }
        _write(results / name / "primary.json", json.dumps(ratings))
    for name in SYSTEMS:
        lines = ["unused"] * 8
        for position, number in enumerate((2, 3, 5, 7)):
            lines[number - 1] = TEXTS[name][position]
        _write(directory / f"submissions/rdf2text/en/{name}/primary.en", "\n".join(lines) + "\n")
    return [directory]


def table(directory: Path, suffix: str = ".tsv") -> list[Path]:
    """Write tidy texts and judgments."""
    texts = [
        {"document": DOCUMENTS[position], "segment": IDS[position], "system": name, "reference": "", "text": text}
        for name in SYSTEMS
        for position, text in enumerate(TEXTS[name])
    ]
    texts += [
        {"document": DOCUMENTS[position], "segment": IDS[position], "system": "", "reference": name, "text": text}
        for name in REFERENCES
        for position, text in enumerate(TEXTS[name])
    ]
    judgments = [
        {
            "segment": f"{DOCUMENTS[position]}:{IDS[position]}",
            "system": name,
            "judge": judge,
            "criterion": "adequacy",
            "score": score(name, position, judge),
        }
        for name in SYSTEMS
        for position in range(4)
        for judge in JUDGES
    ]
    paths = []
    for stem, rows in (("texts", texts), ("judgments", judgments)):
        path = directory / f"{stem}{suffix}"
        paths.append(path)
        if suffix == ".jsonl":
            _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        elif suffix in (".parquet", ".feather", ".xlsx"):
            import pandas as pd

            path.parent.mkdir(parents=True, exist_ok=True)
            frame = pd.DataFrame(rows)
            if suffix == ".xlsx":
                frame.to_excel(path, engine="xlsxwriter", index=False)
            elif suffix == ".parquet":
                frame.to_parquet(path)
            else:
                frame.to_feather(path)
        else:
            sign = "\t" if suffix == ".tsv" else ","
            quote = (lambda value: str(value)) if sign == "\t" else (lambda value: f'"{value}"')
            lines = [sign.join(rows[0]), *(sign.join(quote(value) for value in row.values()) for row in rows)]
            _write(path, "\n".join(lines) + "\n")
    return paths


def neutral(directory: Path) -> list[Path]:
    """Write the neutral layout."""
    _write(directory / "corpus.toml", 'criteria = [{ name = "adequacy", low = 0, high = 50, direction = "higher" }]\n')
    _write(directory / "source.txt", "\n".join(SOURCE) + "\n")
    for name, texts in TEXTS.items():
        _write(directory / ("systems" if name in SYSTEMS else "references") / f"{name}.txt", "\n".join(texts) + "\n")
    places = list(zip(range(1, 5), DOCUMENTS, IDS, strict=True))
    rows = ["segment\tid\tdocument", *(f"{n}\t{document}:{id_}\t{document}" for n, document, id_ in places)]
    _write(directory / "segments.tsv", "\n".join(rows) + "\n")
    rows = ["segment\tsystem\tjudge\tcriterion\tscore"]
    for name in SYSTEMS:
        for n in range(4):
            rows += [f"{n + 1}\t{name}\t{judge}\tadequacy\t{score(name, n, judge)}" for judge in JUDGES]
    _write(directory / "judgments.tsv", "\n".join(rows) + "\n")
    return [directory]


def folder(directory: Path) -> list[Path]:
    """Write a folder of outputs, with line ends of Windows and a sheet of ratings."""
    files = {"src.de.txt": SOURCE, **{f"outputs/{name}.de-en.txt": TEXTS[name] for name in SYSTEMS}}
    files |= {f"{name}.txt": TEXTS[name] for name in REFERENCES}
    for name, texts in files.items():
        _write(directory / name, "".join(f"{text}\r\n" for text in texts))
    rows = ["line,system,rater,adequacy"]
    for name in SYSTEMS:
        for n in range(4):
            rows += [f"{n + 1},{name},{judge},{score(name, n, judge)}" for judge in JUDGES]
    _write(directory / "ratings.csv", "\n".join(rows) + "\n")
    return [directory]


SOURCES = {
    "folder": (folder, ()),
    "neutral": (neutral, ()),
    "sgml": (sgml, SGML_FORMATS),
    "wmt": (wmt_xml, ("", 'wmt(prefix="tiny.")')),
    "mt-metrics-eval": (mtme, ()),
    "mqm": (mqm, (MQM_FORMAT,)),
    "summeval": (summeval, ()),
    "webnlg": (webnlg, ()),
    "table": (table, ()),
    "pearmut": (pearmut, ['pearmut(references=["refA", "refB"])']),
    "wmt-json": (wmt_json, ()),
}
