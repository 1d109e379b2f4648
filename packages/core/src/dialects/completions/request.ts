import type { Draft } from '../../contracts/draft.ts'
import type { BodyEdit } from '../../conversation/body-edit.ts'
import { chatToTurns } from '../../conversation/chat-to-turns.ts'
import type { GenerateRequest, NativeBody, Settings } from '../../conversation/generate-request.ts'
import type { Turn } from '../../conversation/turns.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import type { ChatRequest, JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import { promptsOf } from './outline.ts'

/** The fields that have the same name in chat completions. */
const shared = [
  'temperature',
  'top_p',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'seed',
  'user',
  'max_tokens',
  'stream',
  'stream_options',
] as const

/** The fields that a target may change. Its maximum output is `max_tokens` here. */
const editable = shared.filter(name => name !== 'stream' && name !== 'stream_options')

const none: readonly ConversationLoss[] = Object.freeze([])

/** A request to complete texts. It is only passed on: no other protocol has a prompt without turns. */
export class CompletionsRequest implements GenerateRequest {
  readonly dialect = 'completions'
  readonly operation = 'complete'
  readonly model: string
  readonly stream: boolean
  readonly body: JsonObject
  readonly #draft: Draft
  readonly #choices: number
  readonly #given: Settings
  readonly #settings: Settings

  /** @param choices - number of completions of all prompts together. */
  constructor(draft: Draft, choices: number, settings?: Settings) {
    this.model = draft.model
    this.body = draft.body
    this.stream = jsonMember(draft.body, 'stream') === true
    this.#draft = draft
    this.#choices = choices
    this.#given = settingsOf(draft.body, choices)
    this.#settings = settings ?? this.#given
  }

  settings(): Settings {
    return this.#settings
  }

  turns(): readonly Turn[] {
    return chatToTurns(this.chat().messages)
  }

  /** What logs and estimates read. Token ids are written as numbers. */
  chat(): ChatRequest {
    const prompts = promptsOf(jsonMember(this.body, 'prompt'))
    const suffix = jsonMember(this.body, 'suffix')
    const texts = [...prompts, ...(typeof suffix === 'string' ? [suffix] : [])]
    const messages = texts.map(text => ({
      role: 'user' as const,
      content: typeof text === 'string' ? text : text.join(' '),
    }))
    return { ...this.#settings, model: this.model, messages } as ChatRequest
  }

  losses(): readonly ConversationLoss[] {
    return none
  }

  pathOf(path: string): string {
    return path === 'max_completion_tokens' ? 'max_tokens' : path
  }

  withSettings(settings: Settings): CompletionsRequest {
    return new CompletionsRequest(this.#draft, this.#choices, settings)
  }

  withMaxOutput(tokens: number): CompletionsRequest {
    return this.withSettings({ ...this.#settings, max_tokens: tokens })
  }

  native(): NativeBody {
    const { text } = this.#draft
    return { text: text ?? JSON.stringify(this.body), headers: {}, edits: this.#edits() }
  }

  #edits(): readonly BodyEdit[] {
    const { max_completion_tokens: bound } = this.#settings
    const wanted: Settings = bound === undefined ? this.#settings : { ...this.#settings, max_tokens: bound }
    return editable
      .filter(name => wanted[name] !== this.#given[name])
      .map(name => ({ path: [name], value: wanted[name] as JsonValue | undefined }))
  }
}

/** Returns the settings of a body, which are not validated: they are the vendor's to judge. */
function settingsOf(body: JsonObject, choices: number): Settings {
  const settings: Record<string, unknown> = {}
  for (const name of shared) {
    const value = jsonMember(body, name)
    if (value !== undefined && value !== null) settings[name] = value
  }
  if (choices > 1) settings.n = choices
  return settings as Settings
}
