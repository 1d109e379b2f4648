import type { ChatRequest, FinishReason, Target, Usage } from '@sluice/core'

/** The provider that `providerConformance` tests, and recorded responses of its vendor. */
export interface ProviderSamples {
  /** A model of the provider, made with fixed credentials: `acme({ apiKey: 'sk-acme-test' })('acme-1')`. */
  readonly target: Target
  /** The credentials of `target`, each of at least 8 characters. */
  readonly secrets: readonly string[]
  /** Whether the vendor takes its credentials in the URL. Default: false. */
  readonly secretsInUrl?: boolean
  /** Names of request headers that change with the time, such as a signature. Default: none. */
  readonly timedHeaders?: readonly string[]
  /** Valid requests to encode beside those of the suite. Default: none. */
  readonly requests?: readonly ChatRequest[]
  /** Responses that are not streamed; at least one. */
  readonly completions: readonly CompletionSample[]
  /** Streamed responses; at least one. */
  readonly streams: readonly StreamSample[]
  /** Error responses; at least one. */
  readonly errors: readonly ErrorSample[]
}

/** What all samples have. */
interface Sample {
  /** Names the sample where a case fails. Default: its index. */
  readonly name?: string
  /** The fields of its request, such as `tools`. Default: one message of a user. */
  readonly request?: Partial<ChatRequest>
  /** The headers of the vendor's response. Default: a content type of JSON, or of server-sent events for a stream. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A response that is not streamed. */
export interface CompletionSample extends Sample {
  readonly body: string | Uint8Array
  readonly expected: ExpectedAnswer
}

/** A streamed response. */
export interface StreamSample extends Sample {
  /** The vendor's events, as bytes of the wire. Joined, they are the body. */
  readonly events: readonly (string | Uint8Array)[]
  /**
   * How many of the last events a complete response can lack: token counts, or `[DONE]` after a finish reason. A stream that is
   * cut within these may end cleanly. Default: 0, the last event is the end mark.
   */
  readonly optionalEvents?: number
  readonly expected: ExpectedAnswer
}

/** An error response. */
export interface ErrorSample extends Sample {
  /** The HTTP status. 200 for an error that is an event of a stream, or that the vendor sends as a normal response. */
  readonly status: number
  readonly body: string | Uint8Array
  /** Whether the request asked for a stream. Default: the case tries both. */
  readonly stream?: boolean
  readonly expected?: {
    /** The `status` of the `UpstreamError`. Default: the HTTP status. */
    readonly status?: number
    /** The vendor's own code. Default: any. */
    readonly code?: string
    /** How long the vendor asks to wait, in milliseconds. Default: any. */
    readonly retryAfterMs?: number
  }
}

/** The expected content of one choice. An absent member is not compared. */
export interface ExpectedChoice {
  readonly text?: string | null
  readonly toolCalls?: readonly ExpectedToolCall[]
  readonly finishReason?: FinishReason
}

/** A tool call, as the caller of the gateway gets it. */
export interface ExpectedToolCall {
  readonly name: string
  /** The exact JSON text, or an object that the text has to describe. */
  readonly arguments: string | object
}

/** The expected content of a response: one choice, or several under `choices`. */
export interface ExpectedAnswer extends ExpectedChoice {
  readonly choices?: readonly ExpectedChoice[]
  readonly usage?: Pick<Usage, 'prompt_tokens' | 'completion_tokens'>
}

/** Throws `RangeError` for samples by which a case would test nothing. */
export function checkSamples(samples: ProviderSamples): void {
  for (const name of ['secrets', 'completions', 'streams', 'errors'] as const)
    if (samples[name].length === 0)
      throw new RangeError(`providerConformance: got no ${name}, expected at least one`)
  for (const [index, secret] of samples.secrets.entries())
    if (secret.length < 8)
      throw new RangeError(
        `providerConformance: secrets[${index}] has ${secret.length} characters, expected at least 8`,
      )
  for (const [index, { events, optionalEvents = 0 }] of samples.streams.entries())
    if (!Number.isInteger(optionalEvents) || optionalEvents < 0 || optionalEvents >= events.length)
      throw new RangeError(
        `providerConformance: streams[${index}].optionalEvents is ${optionalEvents}, expected a whole number from 0 to ${events.length - 1}`,
      )
}
