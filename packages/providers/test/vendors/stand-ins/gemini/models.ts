/** What a Gemini model takes, as far as requests are refused by it. */
export interface ModelFacts {
  /** The bounds of `thinkingBudget`, and whether 0 turns thinking off. */
  readonly budget?: { readonly least: number; readonly most: number; readonly off: boolean }
  /** Values of `thinkingLevel`; a model without them refuses the field. */
  readonly levels: readonly string[]
  /** Whether calls have to come back with the signature that they were made with. */
  readonly signatures: boolean
  /** Whether an answer can be JSON while functions are declared. */
  readonly jsonWithTools: boolean
}

const table: readonly (readonly [RegExp, ModelFacts])[] = [
  [/^gemini-2\.0-flash/, { levels: [], signatures: false, jsonWithTools: false }],
  [
    /^gemini-2\.5-flash-lite/,
    { budget: { least: 512, most: 24_576, off: true }, levels: [], signatures: false, jsonWithTools: false },
  ],
  [
    /^gemini-2\.5-flash/,
    { budget: { least: 1, most: 24_576, off: true }, levels: [], signatures: false, jsonWithTools: false },
  ],
  [
    /^gemini-2\.5-pro/,
    { budget: { least: 128, most: 32_768, off: false }, levels: [], signatures: false, jsonWithTools: false },
  ],
  [
    /^gemini-3[\d.]*-pro/,
    {
      budget: { least: 128, most: 32_768, off: false },
      levels: ['low', 'high'],
      signatures: true,
      jsonWithTools: true,
    },
  ],
  [
    /^gemini-3[\d.]*-flash/,
    {
      budget: { least: 1, most: 24_576, off: true },
      levels: ['minimal', 'low', 'medium', 'high'],
      signatures: true,
      jsonWithTools: true,
    },
  ],
]

/** The facts of a model; `undefined` for one that is not served. */
export function modelFacts(model: string): ModelFacts | undefined {
  return table.find(([pattern]) => pattern.test(model))?.[1]
}
