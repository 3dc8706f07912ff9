import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { countryCodes, isCountry } from '#contract/countries.ts';
import { type City, findArea, findCity, projectToMap, suggestCities } from './places.ts';

const lagos = 2_332_459;

const ids = readFileSync(new URL('cities.tsv', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => (/^\d/u.test(line) ? [Number.parseInt(line, 10)] : []));

const findOne = (text: string, country: string): City | undefined =>
  suggestCities(text, country).find(({ name }) => name === text);

describe('cities.tsv', () => {
  test('has unique ids, known countries, positions on the map, and areas of the same country', () => {
    expect(new Set(ids).size).toBe(ids.length);
    const wrong = ids.filter((id) => {
      const city = findCity(id);
      const area = findArea(city?.areaId ?? 0);
      return !(
        city?.id === id &&
        city.name !== '' &&
        isCountry(city.country) &&
        area?.country === city.country &&
        city.x >= 0 &&
        city.x <= 1080 &&
        city.y >= 0 &&
        city.y <= 440
      );
    });
    expect(wrong).toEqual([]);
    expect(ids.length).toBeGreaterThan(29_000);
  });

  test('has the cities of Nigeria, also those whose population is unknown', () => {
    for (const name of ['Lagos', 'Ikeja', 'Surulere', 'Ikorodu']) expect(findOne(name, 'NG')?.areaId, name).toBe(lagos);
    for (const name of ['Ibadan', 'Ile-Ife', 'Abuja', 'Kano']) expect(findOne(name, 'NG'), name).toBeDefined();
  });
});

describe('findCity and findArea', () => {
  test('return the city with its position on the map', () => {
    expect(findArea(lagos)).toMatchObject({ id: lagos, name: 'Lagos', country: 'NG', x: 515.7, y: 250.7 });
  });

  test('return nothing for unknown ids, and no area for the smaller cities of one', () => {
    const ikeja = findOne('Ikeja', 'NG')?.id ?? 0;
    expect([findCity(1), findCity(NaN), findArea(1), findArea(ikeja)]).toEqual(Array(4).fill(undefined));
  });
});

describe('suggestCities', () => {
  const suggest = (text: string, country?: string) => suggestCities(text, country).map(({ label }) => label);

  test('returns the largest cities first, at most 8', () => {
    expect(suggest('iba', 'NG')[0]).toBe('Ibadan');
    expect(suggest('lag')[0]).toBe('Lagos');
    expect(suggest('san')).toHaveLength(8);
  });

  test('finds each word of a name, without case, accents and hyphens', () => {
    expect(suggest('ife', 'NG')).toContain('Ile-Ife');
    expect(suggest('ILE IFE')).toEqual(['Ile-Ife']);
    expect(suggest('sao pau')[0]).toBe('São Paulo');
    expect(suggest('Zür', 'CH')[0]).toBe('Zürich');
    expect(suggest('badan', 'NG')).toEqual([]);
  });

  test('tells cities of the same name in one country apart', () => {
    expect(suggest('springfield', 'US')).toEqual(
      expect.arrayContaining(['Springfield (St. Louis)', 'Springfield (Eugene)']),
    );
  });

  test('returns nothing for a text without letters, and for a country without such a city', () => {
    expect([suggest(''), suggest(' - '), suggest('ibadan', 'GH'), suggest('ibadan', 'XX')]).toEqual([[], [], [], []]);
  });
});

describe('isCountry', () => {
  test('knows the 249 codes of ISO 3166-1 and Kosovo, each with a name', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect(countryCodes).toHaveLength(250);
    expect(countryCodes.filter((code) => names.of(code) === undefined)).toEqual([]);
    expect(['NG', 'XK', 'ng', 'UK', 'EU', '', 'NG AE'].map(isCountry)).toEqual([true, true, ...Array(5).fill(false)]);
  });
});

describe('world.svg', () => {
  const svg = readFileSync(join(import.meta.dirname, '../../../web/features/careers/world.svg'), 'utf8');

  test('has land and borders in the colour of the page, in at most 8,000 bytes with Brotli', () => {
    const elements = [...svg.matchAll(/<(?!\/|!--)[^>]*>/gu)].map(([tag]) => tag.replace(/ d="[M\dlz -]+"/u, ''));
    expect(elements).toEqual([
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1080 440">',
      '<path id="land" fill="currentColor"/>',
      '<path id="borders" fill="none" stroke="currentColor" vector-effect="non-scaling-stroke"/>',
    ]);
    expect(brotliCompressSync(svg).length).toBeLessThanOrEqual(8_000);
  });

  test('has no line across the map, which land cut by its edges would draw', () => {
    const steps = [...svg.matchAll(/l([\d -]+)/gu)].flatMap(([, text = '']) =>
      (text.match(/-?\d+/gu) ?? []).map(Number),
    );
    expect(Math.max(...steps.map(Math.abs))).toBeLessThan(200);
    expect(projectToMap(-168.5, 90)).toEqual([0, 0]);
    expect(projectToMap(-169, 0)[0]).toBeGreaterThan(1070);
  });
});
