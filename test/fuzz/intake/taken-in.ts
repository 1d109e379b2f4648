import { GatewayError, type RequestLimits, type Target } from '@sluice/core'
import type { HostBody } from '@sluice/core/adapter'
import { requestExtensions } from '@sluice/core/provider'
import { systemClock } from '../../../packages/core/src/clock/clock.ts'
import type { Draft } from '../../../packages/core/src/contracts/draft.ts'
import { chatDialect } from '../../../packages/core/src/dialects/chat/dialect.ts'
import { type ValidationRules, validateRequest } from '../../../packages/core/src/gateway/validate-request.ts'
import { Lifetime } from '../../../packages/core/src/http/lifetime.ts'
import { Uploads } from '../../../packages/core/src/http/uploads.ts'
import { requestFor } from '../../../packages/core/src/validation/overridden-settings.ts'
import { read, receive } from '../../../packages/core/src/validation/read.ts'

const request = new Request('http://gateway.test/v1/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
})
const sender = {
  key: ' fuzz',
  uploads: new Uploads(),
  lifetime: new Lifetime(request.signal),
  random: Math.random,
  clock: systemClock,
}
const target = {
  model: 'm',
  provider: {
    name: 'none',
    restrictedFields: { n_predict: 'output' as const, 'a.b': 'prompt' as const, model: 'model' as const },
    encode: () => ({ method: 'POST' as const, url: 'http://upstream.test', headers: {} }),
    decode: () => ({ kind: 'completion' as const, completion: { choices: [] } }),
  },
}

const accepting = {
  ...target,
  provider: {
    ...target.provider,
    accepts: requestExtensions,
    restrictedFields: { ...target.provider.restrictedFields, server_tools: 'paid' as const },
  },
}

/** What became of a body: a draft, or the refusal. */
export type TakenIn =
  | { readonly draft: Draft; readonly refusal?: undefined }
  | { readonly draft?: undefined; readonly refusal: GatewayError }

/** Reads a body as the gateway does. Throws whatever is thrown that is no small refusal of the caller's fault. */
export async function takenIn(body: HostBody, limits: RequestLimits): Promise<TakenIn> {
  try {
    return {
      draft:
        read(request, body, limits, chatDialect) ??
        (await receive(request, body, limits, chatDialect, sender)),
    }
  } catch (error) {
    return { refusal: smallRefusal(error) }
  }
}

/** The refusal of a draft by the protocol; `undefined` where it is taken. What providers accept beyond it is tried too. */
export function validationOf(draft: Draft, profile: ValidationRules['profile']): GatewayError | undefined {
  const rules = { profile, unknownParameters: 'pass', boundsAll: true, estimateTokens: () => 1 } as const
  const refusal = refusalBy(target, draft, rules)
  const beyond = refusalBy(accepting, draft, rules)
  const dropping = refusalBy(target, draft, { ...rules, unsupportedParameters: 'drop' })
  if (refusal === undefined && (beyond ?? dropping) !== undefined) throw new Error('refused as an extension')
  return refusal
}

function refusalBy(target: Target, draft: Draft, rules: ValidationRules): GatewayError | undefined {
  try {
    const skip = () => {}
    const { request, targets } = validateRequest(chatDialect, draft, { id: 'ann' }, [target], rules, { skip })
    requestFor(request, targets[0]!)
    return undefined
  } catch (error) {
    return smallRefusal(error)
  }
}

function smallRefusal(error: unknown): GatewayError {
  if (!GatewayError.is(error)) throw error
  const text = JSON.stringify(error.toBody())
  if (error.status !== 400 && error.status !== 413) throw new Error(`got status ${error.status}: ${text}`)
  if (text.length > 1_500) throw new Error(`got an error of ${text.length} characters: ${text.slice(0, 300)}`)
  return error
}
