// A small explanation as the server sends it: A asks, B and C stand between, D is the answer.

const node = (name, attention, answerShare) => ({ name, attention, answer_share: answerShare });

function edge(subject, object, displacement, attention, answerShare) {
  const sign = displacement < 0 ? "past" : displacement > 0 ? "future" : "present";
  return {
    subject,
    relation: "meets",
    object,
    inverse: false,
    time: "2014",
    displacement,
    relative_time: "",
    sign,
    attention,
    answer_share: answerShare,
  };
}

function bundle(subject, object, [attention, answerShare], [restAttention, restShare], walks, displacement = -1) {
  const events = [edge(subject, object, displacement, attention, answerShare)];
  const weights = { attention, answer_share: answerShare, rest_attention: restAttention, rest_share: restShare };
  return { subject, object, sign: events[0].sign, inverse: false, size: 3, ...weights, walks, events };
}

export function sample() {
  const steps = [
    {
      step: 1,
      moved: 0.9,
      moved_share: 0.8,
      self_loops: 0.1,
      self_loops_share: 0.2,
      bundles: [bundle("A", "B", [0.6, 0.1], [0.3, 0.05], []), bundle("A", "C", [0.25, 0.65], [0.05, 0.15], [0], 2)],
    },
    {
      step: 2,
      moved: 0.8,
      moved_share: 1,
      self_loops: 0.2,
      self_loops_share: 0,
      bundles: [
        bundle("B", "E", [0.5, 0], [0.3, 0], []),
        bundle("C", "D", [0.2, 0.7], [0.1, 0.3], [0]),
        bundle("A", "D", [0.05, 0.3], [0.05, 0], [1], 0),
      ],
    },
  ];
  const columns = [
    [node("A", 1, 1)],
    [node("B", 0.6, 0.1), node("C", 0.3, 0.65), node("A", 0.1, 0.2)],
    [node("E", 0.5, 0), node("D", 0.25, 1)],
  ];
  const walks = [
    {
      share: 0.65,
      entities: ["A", "C", "D"],
      edges: [
        { ...edge("A", "C", 2), step: 1 },
        { ...edge("C", "D", -1), step: 2 },
      ],
    },
    { share: 0.3, entities: ["A", "A", "D"], edges: [{ ...edge("A", "D", 0), step: 2 }] },
  ];
  return {
    question: { subject: "A", relation: "meets", object: null, time: "2014" },
    answer: { name: "D", score: 0.25 },
    paths: { walks },
    flow: { steps, columns },
  };
}
