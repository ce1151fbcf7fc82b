"""What `import metaeval` gives: type checkers read it here, and so does `metaeval/__init__.py` when a name is used."""

from metaeval import stats as stats
from metaeval.api.caches import cache_info as cache_info, prune_cache as prune_cache, verify_cache as verify_cache
from metaeval.api.citing import cite as cite
from metaeval.api.corpora import (
    Lengths as Lengths,
    check_corpus as check_corpus,
    convert_corpus as convert_corpus,
    corpus as corpus,
    describe_corpus as describe_corpus,
    describe_format as describe_format,
    fetch_corpus as fetch_corpus,
    list_formats as list_formats,
    load_corpus as load_corpus,
    simulate_corpus as simulate_corpus,
)
from metaeval.api.agreements import agreement as agreement
from metaeval.api.experiments import compare as compare, correlate as correlate, run as run
from metaeval.api.grids import grid as grid
from metaeval.api.metrics import (
    check_metric as check_metric,
    describe_metric as describe_metric,
    list_metrics as list_metrics,
)
from metaeval.api.ratings import judge as judge
from metaeval.api.runs import (
    diff_runs as diff_runs,
    export_run as export_run,
    draw_run as draw_run,
    load_run as load_run,
    report_run as report_run,
)
from metaeval.api.texts import score as score, score_files as score_files
from metaeval.comparison.comparison import Compared as Compared
from metaeval.report.comparison_tables import ComparisonTable as ComparisonTable
from metaeval.corpora.catalogue import list_corpora as list_corpora
from metaeval.corpora.problems import Problem as Problem, Problems as Problems
from metaeval.errors import (
    CorpusError as CorpusError,
    FetchError as FetchError,
    MetaevalError as MetaevalError,
    MetaevalWarning as MetaevalWarning,
    MetricError as MetricError,
    UsageError as UsageError,
)
from metaeval.experiment.score import Scores as Scores, ScoreTable as ScoreTable
from metaeval.datamodel.annotations import ErrorSpans as ErrorSpans, GivenScores as GivenScores
from metaeval.ratings.agreement.corpus_agreement import Agreement as Agreement
from metaeval.ratings.agreement.table_report import RatersReport as RatersReport
from metaeval.parameters.calls import Signature as Signature
from metaeval.conformance.finding import Finding as Finding
from metaeval.runtime.progress import Step as Step
from metaeval.ratings.report import JudgeReport as JudgeReport
from metaeval.ratings.table import Ratings as Ratings
from metaeval.datamodel.corpus import (
    Corpus as Corpus,
    Criterion as Criterion,
    JudgeGroup as JudgeGroup,
    Judgments as Judgments,
)
from metaeval.report.conformance import MetricReport as MetricReport
from metaeval.report.diff import RunsDiff as RunsDiff
from metaeval.report.results import Estimate as Estimate, Results as Results, Run as Run
from metaeval.report.grid import Block as Block, Grid as Grid
from metaeval.results.keys import Key as Key

__version__: str
