import { GatewayError } from '@sluice/core'

const timeoutMs = 10_000

/** What does not answer, and the refusal that says so. */
const unavailable = {
  keys: ['authentication_unavailable', 'What keeps the keys does not answer. Please try again.'],
  ledger: ['ledger_unavailable', 'The ledger does not answer. Please try again.'],
  log: ['ledger_unavailable', 'The request log does not respond. Please try again.'],
  bodies: ['ledger_unavailable', 'The log of bodies does not respond. Please try again.'],
} as const

/** What a store answers. Whatever it fails with is a 503 that does not tell it, and so is no answer within 10 seconds. */
export async function callStore<T>(store: keyof typeof unavailable, call: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} milliseconds.`)), timeoutMs)
  })
  try {
    return await Promise.race([call(), late])
  } catch (cause) {
    const [reason, message] = unavailable[store]
    throw new GatewayError(reason, { message, cause })
  } finally {
    clearTimeout(timer)
  }
}
