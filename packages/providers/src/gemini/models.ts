/** One of Gemini's own levels of thinking. */
export type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high'

/** How a request sets a model's thinking budget. */
export type Thinking =
  | { readonly by: 'nothing' }
  /** `thinkingBudget`, in tokens. `off`: 0 turns it off. `idle`: it thinks only where a request says how much. */
  | {
      readonly by: 'budget'
      readonly min: number
      readonly max: number
      readonly off: boolean
      readonly idle?: true
    }
  /** `thinkingLevel`; it cannot be turned off. `idle`: as above. */
  | { readonly by: 'level'; readonly levels: readonly ThinkingLevel[]; readonly idle?: true }

/** The two services that offer the models. What one takes, the other may refuse. */
export type GoogleApi = 'gemini' | 'vertex'

/** What a model takes. What nobody knows is taken, and left to the vendor to refuse. */
export interface GeminiModel {
  readonly thinking: Thinking
  readonly systemInstruction: boolean
  readonly tools: boolean
  /** `responseMimeType` of `application/json`. */
  readonly json: boolean
  /** `responseJsonSchema`. */
  readonly jsonSchema: boolean
  /** Tools and `responseMimeType` in one request. */
  readonly toolsWithJson: boolean
  /** The most `candidateCount`. */
  readonly maxChoices: number
  /** `false`: it ignores `temperature`, `topP` and `topK`. */
  readonly sampling: boolean
  /** It goes on with words of its own that end the conversation. */
  readonly prefill: boolean
  /** Where `presencePenalty` and `frequencyPenalty` are taken. */
  readonly penalties: readonly GoogleApi[]
  /** Where `responseLogprobs` is taken. */
  readonly logprobs: readonly GoogleApi[]
  /** A call that comes back without its signature is refused, and calls are identified by `id`. */
  readonly signedCalls: boolean
  /** `mediaResolution` of single parts. */
  readonly mediaResolution: boolean
}

const everywhere: readonly GoogleApi[] = ['gemini', 'vertex']

/** A model that no row knows: tuned ones and endpoints, which are made of Gemini 2. */
const unknown: GeminiModel = {
  thinking: { by: 'budget', min: 0, max: 24_576, off: true },
  systemInstruction: true,
  tools: true,
  json: true,
  jsonSchema: true,
  toolsWithJson: true,
  maxChoices: 8,
  sampling: true,
  prefill: true,
  penalties: everywhere,
  logprobs: everywhere,
  signedCalls: false,
  mediaResolution: false,
}

const oldGemma: Partial<GeminiModel> = {
  thinking: { by: 'nothing' },
  systemInstruction: false,
  tools: false,
  json: false,
  jsonSchema: false,
}

const gemini2: Partial<GeminiModel> = { toolsWithJson: false }

const gemini25: Partial<GeminiModel> = { ...gemini2, penalties: ['vertex'], logprobs: ['vertex'] }

function gemini3(...levels: ThinkingLevel[]): Partial<GeminiModel> {
  return {
    thinking: { by: 'level', levels },
    maxChoices: 1,
    penalties: [],
    logprobs: ['vertex'],
    signedCalls: true,
    mediaResolution: true,
  }
}

/** What went with Gemini 3.6 Flash, and the models that came with it. */
const fewer: Partial<GeminiModel> = { sampling: false, prefill: false, logprobs: [] }

/**
 * What is known of the models, by the beginning of their names; the first row that fits holds. From Google's
 * pages on thinking, on Gemini 3 and 4, and from what the services answered.
 */
const rows: readonly (readonly [RegExp, Partial<GeminiModel>])[] = [
  [/^gemma-?(?:[1-3](?!\d)|3n)/, oldGemma],
  [/^gemma/, { thinking: { by: 'level', levels: ['minimal', 'high'], idle: true } }],
  [/^gemini-1/, { ...gemini2, thinking: { by: 'nothing' }, jsonSchema: false, logprobs: ['vertex'] }],
  [/^gemini-2\.0/, { ...gemini2, thinking: { by: 'nothing' } }],
  [/^gemini-2\.5-.*(?:image|tts)/, { ...gemini25, thinking: { by: 'nothing' } }],
  [/^gemini-2\.5-pro/, { ...gemini25, thinking: { by: 'budget', min: 128, max: 32_768, off: false } }],
  [
    /^gemini-2\.5-flash-lite/,
    { ...gemini25, thinking: { by: 'budget', min: 512, max: 24_576, off: true, idle: true } },
  ],
  [/^gemini-2/, { ...gemini25, thinking: { by: 'budget', min: 1, max: 24_576, off: true } }],
  [/^gemini-3-pro/, gemini3('low', 'high')],
  [/^gemini-3(?:\.[0-4])?-flash/, gemini3('minimal', 'low', 'medium', 'high')],
  [/^gemini-3\.5-flash-lite/, { ...gemini3('minimal', 'low', 'medium', 'high'), ...fewer }],
  [/^gemini-3\.5-flash/, { ...gemini3('minimal', 'low', 'medium', 'high'), logprobs: [] }],
  [/^gemini-3\.5/, { ...gemini3('low', 'medium', 'high'), logprobs: [] }],
  [/^gemini-3\.6-flash/, { ...gemini3('minimal', 'low', 'medium', 'high'), ...fewer }],
  [/^gemini-3\.\d+-flash-lite/, { ...gemini3('minimal', 'low', 'medium', 'high'), ...fewer }],
  [/^gemini-3\.(?:[6-9]|\d\d)/, { ...gemini3('low', 'medium', 'high'), ...fewer }],
  [/^gemini-3/, gemini3('low', 'medium', 'high')],
  [/^gemini-(?:[4-9]|\d\d)/, { ...gemini3('low', 'medium', 'high'), ...fewer }],
  [/^gemini-robotics-er-1\.5/, { ...gemini25, thinking: { by: 'budget', min: 1, max: 24_576, off: true } }],
  // Names without a version mean one of the newest.
  [/^gemini-flash-lite-latest/, { ...gemini3('minimal', 'low', 'medium', 'high'), ...fewer }],
  [/^gemini-flash-latest/, { ...gemini3('low', 'medium', 'high'), ...fewer }],
  [/^gemini/, gemini3('low', 'medium', 'high')],
]

/**
 * What is known of a model. `name` may stand in a path, such as `models/gemini-2.5-pro`; only Google's own
 * models are known by their names.
 */
export function geminiModel(name: string): GeminiModel {
  const own =
    /^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:(?:publishers\/)?google\/)?(?:models\/)?([^/]+)$/.exec(name)
  const id = own?.[1]?.toLowerCase()
  const row = id === undefined ? undefined : rows.find(([pattern]) => pattern.test(id))
  return row === undefined ? unknown : { ...unknown, ...row[1] }
}
