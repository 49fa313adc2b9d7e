import { useComputedColorScheme, useMantineTheme } from '@mantine/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef } from 'react';
import type { ChartSeries } from './chart-series';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

interface ChartCanvasProps {
  /** Description for screen readers. */
  label: string;
  kind: 'bar' | 'line';
  categories: readonly string[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** Only integers on the axis. */
  wholeNumbers: boolean;
}

/** A Chart.js canvas that fills its parent; several series are stacked. */
export function ChartCanvas({ label, kind, categories, series, format, wholeNumbers }: ChartCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const { colors, fontFamily } = useMantineTheme();
  useEffect(() => {
    if (!canvas.current) return;
    const isDark = scheme === 'dark';
    const text = isDark ? colors.dark[1] : colors.gray[7];
    const grid = isDark ? colors.dark[5] : colors.gray[2];
    const isStacked = series.length > 1;
    const font = { family: fontFamily, size: 11 };
    const config: ChartConfiguration = {
      type: kind,
      data: {
        labels: [...categories],
        datasets: series.map(({ name, values, color }) => ({
          label: name,
          data: [...values],
          backgroundColor: colors[color]?.[isDark ? 5 : 6],
          borderColor: colors[color]?.[isDark ? 5 : 6],
          borderRadius: kind === 'bar' ? 3 : 0,
          maxBarThickness: 28,
          pointRadius: 0,
          pointHitRadius: 12,
          borderWidth: kind === 'line' ? 2 : 0,
        })),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        plugins: {
          legend: {
            display: isStacked,
            align: 'end',
            labels: { color: text, boxWidth: 10, boxHeight: 10, font },
          },
          tooltip: {
            callbacks: { label: ({ dataset, parsed }) => `${dataset.label}: ${format(parsed.y ?? 0)}` },
          },
        },
        scales: {
          x: {
            stacked: isStacked,
            grid: { display: false },
            border: { color: grid },
            ticks: { color: text, font, maxRotation: 0, autoSkipPadding: 16 },
          },
          y: {
            stacked: isStacked,
            beginAtZero: true,
            grid: { color: grid },
            border: { display: false },
            ticks: {
              color: text,
              font,
              maxTicksLimit: 5,
              ...(wholeNumbers && { precision: 0 }),
              callback: (value) => format(Number(value)),
            },
          },
        },
      },
    };
    const chart = new Chart(canvas.current, config);
    return () => chart.destroy();
  }, [kind, categories, series, format, wholeNumbers, scheme, colors, fontFamily]);
  return <canvas ref={canvas} role="img" aria-label={label} />;
}
