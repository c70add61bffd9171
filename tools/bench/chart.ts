import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { processorTime, type Result } from './report.ts';

const THEMES = {
  light: { text: '#1f2328', grid: '#d1d9e0', bar: '#4c78a8', target: '#d1242f' },
  dark: { text: '#f0f6fc', grid: '#3d444d', bar: '#6cb6ff', target: '#ff938a' },
} as const;

/** A color scheme of a page. */
export type Theme = keyof typeof THEMES;

/** The color schemes. */
export const themes = Object.keys(THEMES) as readonly Theme[];

/** Draws the processor time of each comparison, as SVG. */
export function drawChart(results: readonly Result[], theme: Theme): Promise<string> {
  const { text, grid, bar, target } = THEMES[theme];
  const values = results.flatMap((result) => {
    const ratio = processorTime(result);
    const limit =
      result.target !== undefined && 'processorTime' in result.target && result.target.processorTime;
    return ratio === undefined
      ? []
      : [{ ...ratio, name: `${result.workload}: ${result.against}`, limit: limit || null }];
  });
  const y = { field: 'name', type: 'nominal', sort: null, title: null } as const;
  const spec: TopLevelSpec = {
    data: { values },
    width: 420,
    height: { step: 24 },
    background: 'transparent',
    // Without a canvas, the library can't measure the labels.
    autosize: 'none',
    padding: { left: 400, right: 10, top: 10, bottom: 45 },
    layer: [
      {
        mark: { type: 'bar', color: bar, height: 14 },
        encoding: {
          y,
          x: {
            field: 'median',
            type: 'quantitative',
            title: 'processor time per request, relative to the other server; red: target',
          },
        },
      },
      {
        mark: { type: 'rule', color: text },
        encoding: { y, x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } },
      },
      {
        mark: { type: 'tick', color: target, thickness: 3, size: 20 },
        encoding: { y, x: { field: 'limit', type: 'quantitative' } },
      },
      { mark: { type: 'rule', color: text, strokeDash: [4, 4] }, encoding: { x: { datum: 1 } } },
    ],
    config: {
      view: { stroke: null },
      axis: {
        labelColor: text,
        titleColor: text,
        gridColor: grid,
        domainColor: grid,
        tickColor: grid,
        labelLimit: 0,
        labelFontSize: 12,
        titleFontSize: 12,
        titleFontWeight: 'normal',
      },
    },
  };
  return new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
}
