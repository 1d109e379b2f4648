/** What a model on Bedrock takes, as far as requests are refused by it. */
export interface ModelFacts {
  readonly family: 'claude' | 'nova'
  /** `outputConfig.textFormat` */
  readonly structured: boolean
  /** Whether reasoning may come back in the conversation, and has to bear a signature. */
  readonly reasoning: boolean
  readonly maxTokens: number
}

const table: readonly (readonly [RegExp, ModelFacts])[] = [
  [
    /anthropic\.claude-sonnet-4-20\d{6}-v1:0$/,
    { family: 'claude', structured: false, reasoning: true, maxTokens: 64_000 },
  ],
  [
    /anthropic\.claude-sonnet-4-5-20\d{6}-v1:0$/,
    { family: 'claude', structured: true, reasoning: true, maxTokens: 64_000 },
  ],
  [
    /amazon\.nova-(?:lite|pro)-v1:0$/,
    { family: 'nova', structured: false, reasoning: false, maxTokens: 10_000 },
  ],
  [/amazon\.nova-2-lite-v1:0$/, { family: 'nova', structured: false, reasoning: true, maxTokens: 65_000 }],
]

/** The facts of a model; `undefined` for one that is not served. */
export function modelFacts(model: string): ModelFacts | undefined {
  return table.find(([pattern]) => pattern.test(model))?.[1]
}
