clock();
place();
