import { GatewayError, type KeyStore } from '@sluice/core'
import type { IssuedKey, StoredKey } from '@sluice/core/keys'
import type { IssuedKeyRow, KeyRow } from '../api.ts'
import { callStore } from '../call-store.ts'
import { readJson } from '../read-json.ts'
import { validateChanges, validateOverlap, validateSpec } from './validate-key.ts'

const issued: readonly string[] = ['name', 'models', 'tags', 'limits', 'expiresAt']

/** What the console does with keys. All of it throws 400 for what cannot be kept, 404 and 503. */
export interface KeyApi {
  list(): Promise<{ readonly keys: readonly KeyRow[] }>
  issue(request: Request): Promise<IssuedKeyRow>
  update(id: string, request: Request): Promise<KeyRow>
  rotate(id: string, request: Request): Promise<IssuedKeyRow>
  delete(id: string): Promise<void>
}

export function keyApi(store: KeyStore): KeyApi {
  /** What is done to a key that is there. */
  const known = async <T>(id: string, change: () => Promise<T>): Promise<T> => {
    if ((await callStore('keys', () => store.get(id))) === undefined) throw noSuchKey()
    return callStore('keys', change)
  }
  return {
    list: async () => ({ keys: (await callStore('keys', () => store.list())).map(keyRow) }),
    async issue(request) {
      const spec = await validateSpec(await readJson(request, issued))
      return issuedRow(await callStore('keys', () => store.issue(spec)))
    },
    async update(id, request) {
      const changes = await validateChanges(await readJson(request, [...issued, 'disabled']))
      return keyRow(await known(id, () => store.update(id, changes)))
    },
    async rotate(id, request) {
      const overlap = await validateOverlap(await readJson(request, ['overlapMs']))
      return issuedRow(await known(id, () => store.rotate(id, overlap)))
    },
    async delete(id) {
      if (!(await callStore('keys', () => store.delete(id)))) throw noSuchKey()
    },
  }
}

function issuedRow({ key, stored }: IssuedKey): IssuedKeyRow {
  return { ...keyRow(stored), key }
}

/** Without the id: it may be a whole key in the wrong place. */
function noSuchKey(): GatewayError {
  return new GatewayError('unknown_url', { message: 'There is no key with this id.' })
}

/** What may be seen of a key: no digest, and nothing that a store may keep beside. */
function keyRow(key: StoredKey): KeyRow {
  return {
    id: key.id,
    name: key.name,
    models: key.models,
    tags: key.tags,
    limits: key.limits,
    disabled: key.disabled,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    lastUsedAt: key.lastUsedAt,
    secrets: key.secrets.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
  }
}
