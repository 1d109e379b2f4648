import type { ChatRequest, JsonObject } from '../protocol/chat.ts'
import type { NamedFields } from '../protocol/chat-fields.ts'
import type { ReceivedText } from '../protocol/received-text.ts'
import type { Adjustment } from './adjustment.ts'
import type { BodyEdit } from './body-edit.ts'
import type { Turn } from './turns.ts'
import type { ConversationLoss } from './turns-to-chat.ts'

/**
 * The settings of a request: everything but its conversation, in the names of chat completions. A dialect that has another
 * name for a setting tells it by `pathOf`.
 */
export interface Settings extends Omit<NamedFields, 'messages'> {
  /** Fields that the protocol does not name. */
  readonly [extra: string]: unknown
}

/** How much a model may think, in a protocol that says more of it than `reasoning_effort`. */
export interface ThinkingSetting {
  /** Maximum number of tokens. Absent: the model decides. */
  readonly budgetTokens?: number
  /** Whether the caller gave an effort, too. Otherwise `reasoning_effort` of the settings follows from the budget. */
  readonly hasEffort: boolean
  /** What the caller wants to read of it. Default: what the model shows. */
  readonly display?: 'summarized' | 'omitted'
  /** Whether the caller says nothing but `display`: how much the model thinks is its own. Default `false`. */
  readonly onlyDisplay?: boolean
}

/**
 * A validated request for a generated answer, in any dialect. Each view is computed once, when it is first read: a chat
 * request for a chat-shaped vendor never becomes turns.
 */
export interface GenerateRequest {
  /** The name of the caller's dialect: `chat`. */
  readonly dialect: string
  readonly model: string
  /** `complete`: only a provider with `complete` can be asked. Default: it may be translated. */
  readonly operation?: 'complete'
  /** Whether the caller asked for a stream. */
  readonly stream: boolean
  /** The caller's body as it was parsed, in its dialect. Not to be changed. */
  readonly body: JsonObject
  /** Returns the settings. The object may also have `messages`, which are not to be read there. */
  settings(): Settings
  /** Returns how much the model may think, if the caller's protocol says more than `reasoning_effort`. Default: it does not. */
  thinking?(): ThinkingSetting | undefined
  /** Returns the conversation, in order. */
  turns(): readonly Turn[]
  /** Returns the request as a chat completion. */
  chat(): ChatRequest
  /** Returns what `chat()` cannot express of the conversation. A provider that sends `chat()` reports it. */
  losses(): readonly ConversationLoss[]
  /**
   * Returns what neither `turns()` nor `settings()` have of the request, because no other protocol can express it. Every provider
   * that translates reports it. Default: nothing.
   */
  translationLosses?(): readonly ConversationLoss[]
  /** Returns the path in the caller's request for a path in `chat()`: `input[0].content[1]` for `messages[0].content[1]`. */
  pathOf(chatPath: string): string
  /**
   * Returns the path in the caller's request for one that begins with the `path` of a turn, where the gateway has put turns in front
   * of the caller's own. Default: it is the same.
   */
  turnPath?(path: string): string
  /** Returns the same request with other settings, which replace all of its own. */
  withSettings(settings: Settings): GenerateRequest
  /**
   * Returns the request with a maximum output in tokens. Call it only where the settings have none. It may be the same request,
   * changed: to copy the settings of each request is expensive.
   */
  withMaxOutput(tokens: number): GenerateRequest
  /**
   * Returns the request for a target: without the reasoning that only vendors of other realms can read, and with what of it was
   * left out. `realmOf` returns the digest of the target's realm. Absent: it is the same for all targets.
   */
  forRealm?(realmOf: () => string): RealmRequest
  /**
   * Returns the request without the signatures and the encrypted reasoning of earlier answers, after a vendor has refused them;
   * `undefined` if it has none. Absent: such a request is not repeated.
   */
  withoutReasoning?(): GenerateRequest | undefined
  /**
   * Returns the request without the tools that the vendor of its protocol runs itself, for a caller who may not use them;
   * `undefined` if it needs one. Absent: it has none.
   */
  withoutServerTools?(): GenerateRequest | undefined
  /**
   * Returns the body as JSON text, to pass it to a vendor that speaks the caller's dialect, with the caller's headers and what was
   * changed since. `undefined`: it is translated for every vendor. Absent: the dialect passes nothing on.
   */
  native?(): NativeBody | undefined
  /**
   * Returns the same request for translation alone: a hook reads its response, which vendors of the dialect would write themselves.
   * Absent: the dialect passes nothing on.
   */
  asTranslated?(): GenerateRequest
}

/** A request for one target. */
export interface RealmRequest {
  readonly request: GenerateRequest
  /** What was left out, or changed with it. */
  readonly adjustments: readonly Adjustment[]
}

/** A caller's body as it came. */
export interface NativeBody {
  readonly text: string
  /** The text that was received, with its bytes: `text`, unless the gateway has changed it. */
  readonly received?: ReceivedText | undefined
  /** The caller's headers that may go upstream, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  /** The settings that differ from those of the body, in the names of the caller's dialect. */
  readonly edits: readonly BodyEdit[]
  /** What of it a vendor does not get, where a translation reports it as a loss. Default: nothing. */
  readonly adjustments?: readonly Adjustment[]
}
