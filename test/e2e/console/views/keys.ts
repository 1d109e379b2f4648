import { expect, it } from 'vitest'
import { askInChat } from '../site/ask-in-chat.ts'
import { chatAs } from '../site/chat-as.ts'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const keysTests: ViewTests = site => {
  it('are issued, used, limited to their models, rotated, disabled and deleted', async () => {
    const page = await site().open()
    const { ask } = site().service
    await goTo(page, 'Keys')
    await page.getByRole('button', { name: 'Create a key' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('<b>Nightly</b>')
    await dialog.getByLabel('Models').fill('demo, small-*')
    await dialog.getByLabel('Tags').fill('team=night')
    await dialog.getByRole('button', { name: 'Add a limit' }).click()
    await dialog.getByLabel('How many').fill('100')
    await dialog.getByLabel('Expires').selectOption('at a date')
    await dialog.getByLabel('Expiry date').fill('2099-01-01T12:00')
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter')
    const key = await dialog.getByLabel('API key').inputValue()
    expect(key.length).toBeGreaterThan(20)
    const isWholeSeen = dialog
      .getByLabel('API key')
      .evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => {
        return scrollWidth <= clientWidth && scrollHeight <= clientHeight
      })
    expect(await isWholeSeen).toBe(true)
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(key)
    const card = page.locator('.key', { hasText: '<b>Nightly</b>' })
    await card.getByText('demo, small-*').waitFor()
    await card.getByText('100 requests a minute').waitFor()
    await card.getByText('night', { exact: true }).waitFor()

    await goTo(page, 'Chat')
    await chatAs(page, key)
    const allowed = await askInChat(page, 'demo', 'What is 2 + 2?')
    await allowed.getByRole('link', { name: 'Request details' }).waitFor()
    const wire = page.getByRole('region', { name: 'HTTP exchange' })
    await wire.getByText('x-request-id').waitFor()
    await askInChat(page, 'counted', 'Hello')
    await wire.locator('.status', { hasText: '403' }).waitFor()
    const refusal = page.locator('.turn-failure').last()
    const title = (await refusal.getByText('Not allowed (403)').boundingBox())!
    const message = (await refusal.getByText(/You do not have access/).boundingBox())!
    expect(message.x).toBe(title.x)
    expect(message.y).toBeGreaterThanOrEqual(title.y + title.height)

    await goTo(page, 'Keys')
    await card.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByLabel('Keep the old secret valid for').selectOption('revoke it now')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const next = await dialog.getByLabel('API key').inputValue()
    expect(next).not.toBe(key)
    await page.keyboard.press('Escape')
    await statusBecomes(() => ask('demo', { key }), 401)
    expect((await ask('demo', { key: next })).status).toBe(200)

    await card.getByRole('button', { name: 'Disable' }).click()
    await card.getByText('Disabled').waitFor()
    await statusBecomes(() => ask('demo', { key: next }), 401)
    await card.getByRole('button', { name: 'Enable' }).click()
    await card.getByText('Active').waitFor()
    await statusBecomes(() => ask('demo', { key: next }), 200)

    await card.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await card.count()).toBe(1)
    await card.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete key' }).click()
    await card.waitFor({ state: 'detached' })
    // The button is gone, and with it what had the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keys')
    await statusBecomes(() => ask('demo', { key: next }), 401)
  })

  it('are edited by the keyboard: a limit holds for the next request', async () => {
    const page = await site().open()
    const { ask, keys } = site().service
    const { key, stored } = await keys.issue({ name: 'Edited', models: ['demo'], tags: { team: 'night' } })
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
      )
    await goTo(page, 'Keys')
    const card = page.locator(`.key[data-id="${stored.id}"]`)
    await card.getByRole('button', { name: 'Edit Edited' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Edit Edited' })
    expect(await dialog.getByLabel('Models').inputValue()).toBe('demo')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Held')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await dialog.getByRole('button', { name: 'Add a limit' }).press('Enter')
    await expect.poll(focused).toBe('How many')
    await page.keyboard.type('5')
    await dialog.getByRole('button', { name: 'Add a limit' }).press('Enter')
    await expect.poll(focused).toBe('How many, limit 2')
    await dialog.getByRole('button', { name: 'Remove limit 2' }).press('Enter')
    await expect.poll(focused).toBe('Add a limit')
    await dialog.getByLabel('How many').press('Control+A')
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await card.getByText('1 request a minute').waitFor()
    await expect.poll(focused).toBe('Edit Held')
    expect(await keys.get(stored.id)).toMatchObject({ name: 'Held', models: null, tags: { team: 'night' } })

    // Until the gateway has seen it: to `counted` the key was not let in before.
    await statusBecomes(() => ask('nothing', { key }), 404)
    await goTo(page, 'Chat')
    await chatAs(page, key)
    const first = await askInChat(page, 'counted', 'Hello')
    await first.getByRole('link', { name: 'Request details' }).waitFor()
    const second = await askInChat(page, 'counted', 'Hello again')
    await second
      .locator('.notice', { hasText: /Rate limit reached on .*: Limit 1, Used 1.*Please try again in/ })
      .waitFor()
    await page.getByRole('region', { name: 'HTTP exchange' }).locator('.status', { hasText: '429' }).waitFor()

    await goTo(page, 'Keys')
    await card.getByRole('button', { name: 'Edit Held' }).press('Enter')
    await page.getByRole('button', { name: 'Remove limit 1' }).press('Enter')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await card.getByText('no limits', { exact: true }).waitFor()
    expect(await keys.get(stored.id)).toMatchObject({ limits: null })
    await statusBecomes(() => ask('counted', { key }), 200)

    await card.getByRole('button', { name: 'Edit Held' }).press('Enter')
    await keys.delete(stored.id)
    await page.getByLabel('Name', { exact: true }).fill('Late')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('dialog').getByRole('alert').getByText('There is no key with this id.').waitFor()
    expect(await focused()).toBe('Save')
    await page.keyboard.press('Escape')
  })

  it('say what of a form cannot be taken', async () => {
    const page = await site().open()
    await goTo(page, 'Keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Nobody')
    await dialog.getByLabel('Tags').fill('team')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('alert').getByText('The tag team has no value: write it as team=search.').waitFor()
    await dialog.getByLabel('Tags').fill('')
    await dialog.getByRole('button', { name: 'Add a limit' }).click()
    await dialog.getByLabel('How many').fill('1.5')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('alert').getByText(/limit/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('are compared with their budgets, searched, sorted and expire by presets', async () => {
    const page = await site().open()
    const { ask, keys } = site().service
    const budget = (limit: number) => ({ kind: 'budget', limit, currency: 'usd', per: 'day' }) as const
    const spender = await keys.issue({ name: 'Spender', tags: { team: 'research' }, limits: [budget(100)] })
    await keys.issue({ name: 'Saver', tags: { team: 'research' }, limits: [budget(100)] })
    await keys.issue({ name: 'Stranger', tags: { team: 'sales' } })
    const paid = await ask('counted', { key: spender.key })
    expect(paid.status).toBe(200)
    await goTo(page, 'Keys')
    const row = page.locator(`.key[data-id="${spender.stored.id}"]`)
    await row.getByText(/^\$0\.0\d+ of \$100\.00 a day$/).waitFor()
    const bar = row.locator('.spend-bar > span')
    await expect.poll(() => bar.evaluate(element => (element as HTMLElement).style.width)).toMatch(/^\d/)
    await page.locator('.key', { hasText: 'Stranger' }).getByText('$0 this month').waitFor()
    await page.getByLabel('Team').selectOption('research')
    const names = () => page.locator('.key-name').allTextContents()
    await expect.poll(names).toEqual(['Saver', 'Spender'])
    await page.getByRole('button', { name: 'Spend', exact: true }).click()
    await expect.poll(names).toEqual(['Spender', 'Saver'])
    expect(await page.getByRole('columnheader', { name: 'Spend' }).getAttribute('aria-sort')).toBe(
      'descending',
    )
    await page.getByLabel('Search keys').fill('SAV')
    await expect.poll(names).toEqual(['Saver'])
    await page.getByLabel('Search keys').fill('nothing like it')
    await page.getByText('No key matches.').waitFor()

    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('For a week')
    await dialog.getByLabel('Expires').selectOption('in 7 days')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const issued = (await keys.list()).find(({ name }) => name === 'For a week')!
    expect(Math.abs(issued.expiresAt! - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000)
  })

  it('are shown 50 at a time where there are 1,000', async () => {
    const page = await site().open()
    await page.route('**/console/api/keys', async route => {
      const stored = { models: null, tags: null, limits: null, disabled: false, createdAt: 0, secrets: [] }
      const keys = Array.from({ length: 1_000 }, (_, at) => ({
        ...stored,
        id: `id-${at}`,
        name: `Key ${at}`,
        expiresAt: null,
        lastUsedAt: null,
      }))
      await route.fulfill({ json: { keys } })
    })
    await goTo(page, 'Keys')
    await page.getByText('1–50 of 1,000').waitFor()
    expect(await page.locator('main tr').count()).toBeLessThanOrEqual(60)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51–100 of 1,000').waitFor()
    await page.getByText('Key 50', { exact: true }).waitFor()
    await page.getByLabel('Search keys').fill('Key 999')
    await page.getByText('1–1 of 1', { exact: true }).waitFor()
    await page.unroute('**/console/api/keys')
  })
}

/** A key that changed is known everywhere within moments. */
async function statusBecomes(ask: () => Promise<Response>, status: number): Promise<void> {
  await expect.poll(async () => (await ask()).status, { timeout: 3_000 }).toBe(status)
}
