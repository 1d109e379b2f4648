import type { Hook, HookContext, HookResponse } from '@sluice/core'
import { type ConfigurationIssue, hiddenIssue } from '@sluice/core/adapter'
import { checkOptions, commonMembers, type HookOptions, oneOf, rules } from './hook-options.ts'
import { requestAnswer, responseAnswer } from './webhook/answers.ts'
import { postJson, type WebhookEndpoint } from './webhook/post-json.ts'
import { isPublicHost } from './webhook/public-url.ts'
import { signer } from './webhook/signature.ts'

export interface WebhookOptions extends HookOptions {
  /** Where decisions are made. `https`, unless `allowPrivateAddresses` is set. */
  readonly url: string
  /** Signs what is sent, by HMAC-SHA256. At least 16 characters. */
  readonly secret: string
  /** What is sent: requests (default), responses, or both. */
  readonly direction?: 'request' | 'response' | 'both' | undefined
  /** Milliseconds that a decision may take, further attempts included. Default 3,000. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of an answer, in bytes. Default 1,048,576 (1 MiB). */
  readonly maxResponseBytes?: number | undefined
  /**
   * Whether the URL may have `http`, a private, loopback or link-local address, or a name such as `localhost`. Default: no. What
   * other names resolve to is not checked: use `fetch` for that.
   */
  readonly allowPrivateAddresses?: boolean | undefined
  /** Calls the endpoint, such as through a proxy that permits public addresses only. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Returns milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
  /** Returns a number from 0 to below 1, for delays. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * Returns a hook that lets an HTTP endpoint decide about requests, responses, or both. A failed call and an invalid answer are
 * failures of the hook. Throws `ConfigurationError` for invalid options.
 *
 * ```ts
 * createGateway({ ..., hooks: [webhook({ url: 'https://moderation.example.com', secret: process.env.WEBHOOK_SECRET! })] })
 * ```
 */
export function webhook(options: WebhookOptions): Hook {
  checkOptions(
    'webhook()',
    options,
    {
      url: {
        isValid: value => typeof value === 'string',
        expected: 'a URL',
        isRequired: true,
        isHidden: true,
      },
      secret: {
        isValid: value => typeof value === 'string' && value.length >= 16,
        expected: 'at least 16 characters',
        isRequired: true,
        isHidden: true,
      },
      direction: oneOf('request', 'response', 'both'),
      maxResponseBytes: {
        isValid: value => Number.isSafeInteger(value) && (value as number) > 0,
        expected: 'a whole number of bytes from 1',
      },
      allowPrivateAddresses: rules.flag,
      fetch: rules.callback,
      now: rules.callback,
      random: rules.callback,
    },
    urlIssues(options),
  )
  const { url, secret, direction = 'request', timeoutMs = 3_000, maxResponseBytes = 1_048_576 } = options
  const { now = Date.now, random = Math.random } = options
  const endpoint: WebhookEndpoint = {
    url,
    sign: signer(secret),
    fetch: options.fetch ?? ((...given) => fetch(...given)),
    timeoutMs,
    maxResponseBytes,
    now,
    random,
  }
  const ask = (message: object, { signal }: HookContext) =>
    postJson(endpoint, JSON.stringify(message), signal)
  return {
    ...commonMembers('webhook', options),
    // The endpoint's own timeout is first, and says what has happened.
    timeoutMs: Math.min(600_000, timeoutMs + 250),
    ...(direction !== 'response' && {
      async onRequest({ texts }, context) {
        return requestAnswer(await ask({ type: 'request', ...described(context), texts }, context), texts)
      },
    }),
    ...(direction !== 'request' && {
      async onResponse({ completion, isRetry }, context) {
        const choices = completion.choices.map(choiceOf)
        const answer = await ask({ type: 'response', ...described(context), isRetry, choices }, context)
        return responseAnswer(
          answer,
          choices.map(({ choice }) => choice),
        )
      },
    }),
  }
}

/** What an endpoint gets to know of a request, besides its texts. */
function described({ requestId, principal, operation, dialect, model, user, stream }: HookContext) {
  const { id, source, tags } = principal
  return { requestId, principal: { id, source, tags }, operation, dialect, model, user, stream }
}

function choiceOf({ index, message }: HookResponse['completion']['choices'][number]) {
  const { content, refusal, tool_calls: calls = [] } = message
  return {
    choice: index,
    text: content ?? null,
    refusal: refusal ?? null,
    toolCalls: calls.map(call => ({
      name: call.function?.name ?? call.custom?.name,
      arguments: call.function?.arguments ?? call.custom?.input,
    })),
  }
}

/** A URL may contain a token: none of it is shown. */
function urlIssues(options: Partial<WebhookOptions> | null | undefined): readonly ConfigurationIssue[] {
  const { url, allowPrivateAddresses = false } = options ?? {}
  if (typeof url !== 'string') return []
  const issue = (wanted: string) => [hiddenIssue(['url'], url, wanted)]
  if (!URL.canParse(url)) return issue('a URL such as https://moderation.example.com/decide')
  const parsed = new URL(url)
  if (parsed.username !== '' || parsed.password !== '') return issue('a URL without credentials')
  if (allowPrivateAddresses) {
    return ['http:', 'https:'].includes(parsed.protocol) ? [] : issue('a URL with https or http')
  }
  if (parsed.protocol !== 'https:') return issue('a URL with https, or allowPrivateAddresses')
  return isPublicHost(parsed) ? [] : issue('the URL of a public host, or allowPrivateAddresses')
}
