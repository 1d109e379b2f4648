import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const shortcutsTests: ViewTests = site => {
  const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

  it('open the command palette, which goes to a view, and gives the focus back', async () => {
    const page = await site().open()
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    const field = palette.getByRole('combobox')
    await field.waitFor()
    await expect.poll(() => field.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    expect(await focusedText(page)).toBe('Sign out')

    await page.keyboard.press('Control+k')
    await expect.poll(() => field.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('ArrowDown')
    const chosen = palette.locator('[aria-selected=true]')
    await expect.poll(() => chosen.textContent()).toBe('ChatViews')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.type('keys')
    await expect.poll(() => chosen.textContent()).toBe('KeysViews')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  })

  it('find a model to chat with, a request by its id, and any text among the requests', async () => {
    const { ask, flushLog } = site().service
    const id = (await ask('counted')).headers.get('x-request-id')!
    await flushLog()
    const page = await site().open()
    await page.getByRole('button', { name: /^Go to/ }).click()
    await page.getByRole('dialog').getByRole('combobox').fill('chat with counted')
    await page.getByRole('option', { name: /Chat with counted/ }).click()
    await expect.poll(() => page.getByLabel('Model').inputValue()).toBe('counted')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill(id)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Request', exact: true }).getByText(id).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill(`counted ${id}`)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe(`counted ${id}`)
  })

  it('go to the search and through the rows, and do nothing while somebody types', async () => {
    const { ask } = site().service
    for (let left = 3; left > 0; left--) await ask('demo')
    const page = await site().open()
    await goTo(page, 'Requests')
    await page.locator('tbody tr').nth(2).waitFor()
    const focusedRow = () =>
      page.evaluate(() => {
        const row = document.activeElement?.closest('tr')
        return row === null || row === undefined ? -1 : [...row.parentElement!.children].indexOf(row)
      })
    await page.keyboard.press('j')
    expect(await focusedRow()).toBe(0)
    await page.keyboard.press('j')
    expect(await focusedRow()).toBe(1)
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    expect(await focusedRow()).toBe(0)
    await page.keyboard.press('/')
    const field = page.getByLabel('Search', { exact: true })
    expect(await field.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.type('j/k?')
    expect(await field.inputValue()).toBe('j/k?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(new URL(page.url()).hash).toBe('#/requests?q=j%2Fk%3F')
  })

  it('are listed, and those of a single key are turned off', async () => {
    const page = await site().open()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('Go to the next row of a list').waitFor()
    // A dialog is open: no other opens over it.
    await page.keyboard.press('Control+k')
    expect(await page.getByRole('dialog').count()).toBe(1)
    await help.getByLabel('Shortcuts of a single key').uncheck()
    await help.getByRole('button', { name: 'Close' }).click()
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('shortcuts')
    await page.keyboard.press('Enter')
    await help.getByLabel('Shortcuts of a single key').check()
  })
}
