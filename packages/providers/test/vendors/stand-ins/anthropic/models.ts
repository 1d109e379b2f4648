/** What a Claude model takes, as far as requests are refused by it. */
export interface ModelFacts {
  readonly maxOutput: number
  /** `output_config.format` */
  readonly structured: boolean
  /** Values of `output_config.effort`. */
  readonly efforts: readonly string[]
  readonly thinking: readonly ('enabled' | 'adaptive' | 'disabled')[]
  /** `any`: all three of temperature, top_p and top_k; `one`: temperature or top_p; `none`. */
  readonly sampling: 'any' | 'one' | 'none'
  /** Whether a conversation may end with the assistant. */
  readonly prefill: boolean
}

const budgeted = {
  maxOutput: 64_000,
  structured: false,
  efforts: [],
  thinking: ['enabled', 'disabled'],
  sampling: 'any',
  prefill: true,
} as const satisfies ModelFacts

const table: readonly (readonly [RegExp, ModelFacts])[] = [
  [/claude-3-haiku/, { ...budgeted, maxOutput: 4_096, thinking: ['disabled'] }],
  [/claude-sonnet-4[-@]20\d{6}/, budgeted],
  [/claude-(?:sonnet|haiku)-4-5/, { ...budgeted, structured: true, sampling: 'one' }],
  [
    /claude-(?:sonnet|opus)-4-6/,
    {
      maxOutput: 128_000,
      structured: true,
      efforts: ['low', 'medium', 'high', 'max'],
      thinking: ['enabled', 'adaptive', 'disabled'],
      sampling: 'one',
      prefill: false,
    },
  ],
  [
    /claude-opus-4-8/,
    {
      maxOutput: 128_000,
      structured: true,
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      thinking: ['adaptive', 'disabled'],
      sampling: 'none',
      prefill: false,
    },
  ],
]

/** The facts of a model under the name that any of its hosts gives it; `undefined` for one that is not served. */
export function modelFacts(model: string): ModelFacts | undefined {
  return table.find(([pattern]) => pattern.test(model))?.[1]
}
