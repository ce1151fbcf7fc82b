"""Tables of ratings in the shapes that tools write and their documentation shows, made by hand."""

from __future__ import annotations

import json
from typing import Any


def lines(*rows: dict[str, Any]) -> str:
    """Return JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


# FastChat, llm_judge: human judgments of MT-Bench, with those of GPT-4 as its data set card joins them.
MT_BENCH = lines(
    *(
        {"question_id": 81, "model_a": a, "model_b": b, "winner": winner, "judge": judge, "turn": 1}
        for a, b, winner, judge in (
            ("alpaca", "gpt-4", "model_b", "expert_17"),
            ("gpt-4", "alpaca", "model_a", "author_2"),
            ("alpaca", "gpt-4", "tie", "gpt4_pair"),
        )
    ),
    {"question_id": 82, "model_a": "alpaca", "model_b": "gpt-4", "winner": "tie", "judge": "expert_17", "turn": 1},
    {"question_id": 82, "model_a": "alpaca", "model_b": "gpt-4", "winner": "model_a", "judge": "gpt4_pair", "turn": 1},
)
# FastChat: pairwise judgments of a model, in both orders.
FASTCHAT_PAIRS = lines(
    {"question_id": 1, "model_1": "a-1", "model_2": "b-2", "g1_winner": "model_1", "g2_winner": "model_2",
     "judge": "gpt-4", "g1_user_prompt": "..."},
    {"question_id": 2, "model_1": "a-1", "model_2": "b-2", "g1_winner": "model_1", "g2_winner": "model_1",
     "judge": "gpt-4", "g1_user_prompt": "..."},
    {"question_id": 3, "model_1": "a-1", "model_2": "b-2", "g1_winner": "error", "g2_winner": "tie",
     "judge": "gpt-4", "g1_user_prompt": "..."},
)  # fmt: skip
ARENA = lines(
    *(
        {
            "question_id": f"q{at}",
            "model_a": "koala",
            "model_b": "vicuna",
            "winner": winner,
            "judge": f"arena_user_{at}",
        }
        for at, winner in enumerate(("model_a", "tie (bothbad)", "model_b"))
    )
)
REWARD_BENCH = lines(
    {"id": 1, "prompt": "?", "chosen": "yes", "rejected": "no", "score_chosen": 2.5, "score_rejected": 1.0},
    {"id": 2, "prompt": "?", "chosen": "yes", "rejected": "no", "score_chosen": 0.5, "score_rejected": 1.0},
    {"id": 3, "prompt": "?", "chosen": "yes", "rejected": "no", "score_chosen": 1.0, "score_rejected": 1.0},
)
PANDALM = json.dumps(
    [
        {"idx": 0, "cmp_key": "bloom_llama", "instruction": "...", "response1": "x", "response2": "y",
         "annotator1": 1, "annotator2": 1, "annotator3": 0, "pandalm_result": 1},
        {"idx": 1, "cmp_key": "bloom_opt", "instruction": "...", "response1": "x", "response2": "y",
         "annotator1": 2, "annotator2": 0, "annotator3": 2, "pandalm_result": 2},
    ]
)  # fmt: skip
ALPACA_CROSS = json.dumps(
    [
        {"instruction": "Say hi", "output_1": "hi", "output_2": "ho", "preference": preference, "annotator_index": who}
        for preference, who in ((1, 15), (2, 3), (1, 8))
    ]
)
RAGAS = "question,response,target,judge_label,judge_critique\nQ1,A1,pass,pass,fine\nQ2,A2,fail,pass,good\n"
LANGSMITH = "inputs.question,outputs.answer,feedback.human_correctness,feedback.llm_correctness\nq,a,1,1\nr,b,0,1\n"
WIDE = "id,question,answer,human,judge\n1,q,a,1,1\n2,r,b,0,1\n"
WIDE_PEOPLE = "item,annotator_1,annotator_2,gpt-4o,gpt-4o_reason\n1,good,good,bad,because\n2,bad,,bad,because\n"
MIXED = "item,rater,label,gpt4o,llama\n1,anna,yes,yes,no\n1,ben,no,yes,no\n2,anna,no,no,no\n"
PROMETHEUS = lines({"id": 1, "human_score": [4, 5, 3], "gpt4_score": [4]})
LLMBAR = "item,label,gpt4,gpt4_swapped\n1,1,1,1\n2,2,2,1\n"
MLFLOW = (
    "trace_id,assessment_name,source_type,source_id,value\nt1,correct,HUMAN,anna,yes\nt1,correct,LLM_JUDGE,gpt-4o,yes\n"
    "t2,correct,HUMAN,anna,no\nt2,correct,LLM_JUDGE,gpt-4o,yes\n"
)
# lm-evaluation-harness: the samples of a task, with a column of a person.
LM_EVAL = lines(
    {"doc_id": 0, "doc": {"q": "x"}, "resps": [["b"]], "acc": 1.0, "human": 1},
    {"doc_id": 1, "doc": {"q": "y"}, "resps": [["c"]], "acc": 1.0, "human": 0},
)
