import { steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const routesTests: ViewTests = site => {
  it('show a breaker that opens, as it opens, and what it failed with', async () => {
    const page = await site().open()
    const { ask } = site().service
    await goTo(page, 'Routes')
    await page.locator('[data-model=counted]').getByText('Available').waitFor()
    for (let left = 4; left > 0; left--) await ask('broken')
    const target = page.locator('[data-model=broken] [data-state=open]')
    await target.getByText('Open: too many failures, last: the provider returned 503').waitFor()
    await target.getByText(/^since \d\d:\d\d:\d\d, next call in \d+\ss$/).waitFor()
  })

  it('say that credentials are refused, and not that a pause was asked for', async () => {
    const { ask, north } = site().service
    north.respondWith(steps.reply({ error: { message: 'no such key' } }, { status: 401 }))
    await ask('unpriced')
    // After two seconds the last target of a request is called again.
    const id = (await ask('unpriced')).headers.get('x-request-id')!
    north.respondWith(steps.answer())
    const page = await site().open()
    await goTo(page, 'Routes')
    const target = page.locator('[data-model=unpriced] [data-state=cooldown]')
    await target.getByText('Cooldown: the provider rejects the credentials of this gateway (401)').waitFor()
    await page.goto(`${site().service.url}/console/#/requests/${id}`)
    await page
      .getByText(
        /Skipped: it was cooling down for another .*s: the provider rejects the credentials of this gateway/,
      )
      .waitFor()
  })

  it('tell the two times of one answer, of which the first token is never the longer', async () => {
    const { ask } = site().service
    const page = await site().open()
    await ask('slow', { stream: true })
    await goTo(page, 'Routes')
    const cells = page.locator('[data-model=slow] tr').last().locator('td')
    const times = async () => (await cells.allTextContents()).slice(2, 4)
    await expect.poll(times).toEqual([expect.stringMatching(/ m?s$/), expect.stringMatching(/ m?s$/)])
    const [first, total] = (await times()).map(
      text => Number.parseFloat(text) * (/ s$/.test(text) ? 1_000 : 1),
    )
    expect(first).toBeLessThanOrEqual(total!)
    await ask('slow')
    await expect.poll(times).toEqual(['not streamed', expect.stringMatching(/ m?s$/)])
  })

  it('have prices, and are tested with one request each, whose result is shown', async () => {
    const { north, south } = site().service
    const page = await site().open()
    await goTo(page, 'Routes')
    const demo = page.locator('[data-model=demo]')
    await demo.getByText('$0.15 in, $0.60 out').waitFor()
    await page.locator('[data-model=unpriced]').getByText('no price').waitFor()
    await demo.getByRole('button', { name: 'Test local / demo of demo' }).click()
    await demo.getByText('Test passed (200)').waitFor()
    await demo.getByText(/^\d+ in, \d+ out$/).waitFor()
    await demo.getByText(/^\$0\.0/).waitFor()
    const [fine, failing] = [north.requests.length, south.requests.length]
    const small = page.locator('[data-model=small-chat]')
    await small.getByRole('button', { name: 'Test north / small of small-chat' }).click()
    await small.getByText('Test passed (200)').waitFor()
    expect([north.requests.length, south.requests.length]).toEqual([fine + 1, failing])
    const broken = page.locator('[data-model=broken]')
    await broken.getByRole('button', { name: 'Test south / broken of broken' }).click()
    await broken.getByText(/Test failed \(50\d\)/).waitFor()
    await broken.getByRole('link', { name: 'Request details' }).click()
    await page
      .getByRole('region', { name: 'Request', exact: true })
      .getByText('console', { exact: true })
      .waitFor()
  })
}
