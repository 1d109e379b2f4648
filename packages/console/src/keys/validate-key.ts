import { GatewayError } from '@sluice/core'
import {
  type KeyChanges,
  type KeyRepository,
  type KeySpec,
  keyStore,
  type StoredKey,
} from '@sluice/core/keys'

const sampleKey: StoredKey = {
  id: 'some',
  name: 'some',
  models: null,
  tags: null,
  limits: null,
  disabled: false,
  createdAt: 0,
  expiresAt: null,
  lastUsedAt: null,
  secrets: [],
}

const emptyRepository: KeyRepository = {
  insert: async () => {},
  list: async () => [],
  get: async () => sampleKey,
  update: async () => true,
  addSecret: async () => true,
  delete: async () => false,
  findByDigest: async () => undefined,
}

/**
 * A store that stores nothing. What it rejects, every store rejects, and its messages are safe to show. The error of a
 * real store may come from its database and contain anything.
 */
const validator = keyStore(emptyRepository)

/** What a key is to be issued for. Throws 400 for what cannot be kept. */
export async function validateSpec(given: Readonly<Record<string, unknown>>): Promise<KeySpec> {
  const spec = given as unknown as KeySpec
  await toInvalidValue(() => validator.issue(spec))
  return spec
}

/** What is to be changed of a key. Throws 400 for what cannot be kept. */
export async function validateChanges(given: Readonly<Record<string, unknown>>): Promise<KeyChanges> {
  await toInvalidValue(() => validator.update(sampleKey.id, given))
  return given
}

/** How long the secrets before a new one go on. Throws 400 for what is no number of milliseconds from 0. */
export async function validateOverlap(
  given: Readonly<Record<string, unknown>>,
): Promise<{ overlapMs?: number }> {
  await toInvalidValue(() => validator.rotate(sampleKey.id, given))
  return given
}

async function toInvalidValue(validate: () => Promise<unknown>): Promise<void> {
  try {
    await validate()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new GatewayError('invalid_value', { message: error.message })
  }
}
