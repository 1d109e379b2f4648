import { apiKeys, createGateway, type GatewayOptions, models } from '@sluice/core'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { families, familiesOfResponses } from '../families/families.ts'
import { type Family, type Question, type Script, startVendor, type Vendor } from '../families/family.ts'
import { mounts } from '../mounts/mounts.ts'

/** A gateway over a scripted vendor of one family. The key is `good-key`, the model `m`. */
export interface FamilyService {
  /** The name of the family. */
  readonly family: string
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly origin: string
  /** What the vendor was asked since the last call of this function. */
  taken(): readonly Question[]
}

/** Registers tests for each family of vendors, and each server of the run. */
export function overFamilies(
  script: Script,
  tests: (service: FamilyService) => void,
  options: Partial<GatewayOptions> = {},
  vendors: readonly Family[] = families,
): void {
  describe.each(inject('servers'))('%s', place => {
    describe.each(vendors)('over a vendor of the family $name', family => {
      let vendor: Vendor
      let origin = ''
      let seen = 0
      const closing: (() => Promise<void>)[] = []

      beforeAll(async () => {
        vendor = await startVendor(family, script)
        const gateway = createGateway({
          authenticate: apiKeys([
            { id: 'ann', key: 'good-key' },
            { id: 'bob', key: 'narrow-key', models: ['other'] },
          ]),
          route: models({ m: vendor.entry }),
          ...options,
        })
        const mounted = await mounts[place]!(gateway)
        origin = mounted.baseURL.replace(/\/v1$/, '')
        closing.push(
          () => gateway.close({ drainMs: 1 }),
          () => mounted.close(),
          () => vendor.close(),
        )
      })
      afterAll(async () => {
        for (const close of closing) await close()
      })
      tests({
        family: family.name,
        get origin() {
          return origin
        },
        taken() {
          const questions = vendor.questions.slice(seen)
          seen = vendor.questions.length
          return questions
        },
      })
    })
  })
}

/** Registers tests of clients of the Responses API: for each family, and a vendor that gets their requests as they came. */
export function overFamiliesOfResponses(script: Script, tests: (service: FamilyService) => void): void {
  overFamilies(script, tests, {}, familiesOfResponses)
}
