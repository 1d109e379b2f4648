import { key, type RequestHead } from '../head/request-heads.ts'

const headers = [
  ['Host', 'gateway.test'],
  ['Authorization', `Bearer ${key}`],
  ['Content-Type', 'application/json'],
] as const

/** Heads that were once answered in two ways by two hosts. */
export const headExamples: readonly RequestHead[] = [
  'ftp://x/v1/chat/completions',
  'ftp://x/v1/chat/completions^/v1',
  'http://elsewhere.test/v1/chat/completions/..',
  'http://elsewhere.test/v1/models/v1^',
].map(target => ({ method: 'POST', target, version: '1.1', headers }))
