/* plot.c: plots as SVG: groups of bars, or lines through points. Text and shapes only, so that they can be read in a page and compared in a diff. */
#include <math.h>
#include <stdio.h>

#include "sim/figures/figures.h"

enum { WIDTH = 900, HEIGHT = 420, LEFT = 70, RIGHT = 20, TOP = 60, BOTTOM = 90 };
static const char *const colours[] = {"#9aa5b1", "#c0504d", "#1f6f8b", "#6a994e",
                                      "#bc6c25", "#5e548e", "#e09f3e", "#335c67"};
enum { COLOURS = sizeof colours / sizeof *colours };

static double largest(const struct plot *p, bool of_x) {
  double most = 0;
  for (uint32_t r = 0; r < p->rows; r++)
    for (uint32_t c = 0; c < p->columns; c++) {
      double v = of_x ? p->x[r][c] : p->value[r][c];
      if (p->value[r][c] >= 0 && v > most) most = v;
    }
  return most > 0 ? most : 1;
}

/* 1, 2 or 5 times a power of ten, so that there are about five of them. */
static double step_for(double most) {
  double power = pow(10, floor(log10(most / 5))), n = most / 5 / power;
  return power * (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10);
}

static double y_of(double value, double most) {
  return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
}

static void axes(FILE *f, const struct plot *p, double most) {
  double step = step_for(most);
  fprintf(f, "<text x=\"%d\" y=\"24\" font-size=\"16\">%s</text>\n", LEFT, p->title);
  for (int n = 0; n * step <= most * 1.0001; n++) {
    double v = n * step, y = y_of(v, most);
    fprintf(f, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", LEFT, WIDTH - RIGHT,
            y, y);
    fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y + 4, v);
  }
  fprintf(f, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
          (HEIGHT - BOTTOM + TOP) / 2, p->y_label);
  fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (WIDTH + LEFT) / 2, HEIGHT - 8,
          p->x_label);
}

static void legend(FILE *f, const char *const *names, uint32_t count) {
  double x = LEFT;
  for (uint32_t i = 0; i < count; i++) {
    fprintf(f, "<rect x=\"%.0f\" y=\"36\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
            colours[i % COLOURS]);
    fprintf(f, "<text x=\"%.0f\" y=\"46\">%s</text>\n", x + 16, names[i]);
    x += 34;
    for (const char *c = names[i]; *c; c++) x += 6.5;
  }
}

static void bars(FILE *f, const struct plot *p, double most) {
  double group = (double)(WIDTH - LEFT - RIGHT) / p->rows, bar = group * 0.8 / p->columns;
  for (uint32_t r = 0; r < p->rows; r++) {
    double x = LEFT + group * r + group * 0.1;
    for (uint32_t c = 0; c < p->columns; c++) {
      if (p->value[r][c] < 0) continue;
      double y = y_of(p->value[r][c], most);
      fprintf(f,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: "
              "%.3g</title></rect>\n",
              x + bar * c, y, bar * 0.92, HEIGHT - BOTTOM - y, colours[c % COLOURS], p->row_name[r],
              p->column_name[c], p->value[r][c]);
    }
    fprintf(f, "<text transform=\"translate(%.1f %d) rotate(-30)\" text-anchor=\"end\">%s</text>\n",
            x + group * 0.4, HEIGHT - BOTTOM + 14, p->row_name[r]);
  }
  legend(f, p->column_name, p->columns);
}

static void lines(FILE *f, const struct plot *p, double most) {
  double most_x = largest(p, true), step = step_for(most_x);
  for (int n = 0; n * step <= most_x * 1.0001; n++)
    fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
            LEFT + n * step / most_x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM + 16, n * step);
  for (uint32_t r = 0; r < p->rows; r++) {
    fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colours[r % COLOURS]);
    for (uint32_t c = 0; c < p->columns; c++)
      if (p->value[r][c] >= 0)
        fprintf(f, "%.1f,%.1f ", LEFT + p->x[r][c] / most_x * (WIDTH - LEFT - RIGHT),
                y_of(p->value[r][c], most));
    fprintf(f, "\"/>\n");
    for (uint32_t c = 0; c < p->columns; c++)
      if (p->value[r][c] >= 0)
        fprintf(f, "<circle r=\"3\" cx=\"%.1f\" cy=\"%.1f\" fill=\"%s\"><title>%s, %s</title></circle>\n",
                LEFT + p->x[r][c] / most_x * (WIDTH - LEFT - RIGHT), y_of(p->value[r][c], most),
                colours[r % COLOURS], p->row_name[r], p->column_name[c]);
  }
  legend(f, p->row_name, p->rows);
}

bool plot_write(const struct plot *p, const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  double most = largest(p, false) * 1.05;
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n",
          WIDTH, HEIGHT);
  fprintf(f, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", WIDTH, HEIGHT);
  axes(f, p, most);
  if (p->lines)
    lines(f, p, most);
  else
    bars(f, p, most);
  fprintf(f, "</svg>\n");
  return fclose(f) == 0;
}
