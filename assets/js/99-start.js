clock();
